import type { Request } from 'express';
import { targetOf } from './request-target.js';

/** The two prefixes of the API; both answer in the same way, and links keep the one that a request came with. */
export const API_PREFIXES = ['api/0.1', 'api/0'];

/** Paths of a resource under both prefixes. */
export function apiPaths(resource: string): string[] {
  return API_PREFIXES.map((prefix) => `${prefix}/${resource}`);
}

/** The base of absolute links: PUBLIC_URL, else what the client called us. */
export function baseUrl(request: Request, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl;
  return `http://${request.headers.host ?? `${request.socket.localAddress}:${request.socket.localPort}`}`;
}

/** The path that the request came with, without query: `/api/0.1/assets`. */
export function pathOf(request: Request): string {
  return targetOf(request).path;
}
