import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { type Query, targetOf } from './request-target.js';

/** How a client reached a resource: what links in the answer are made from. */
export interface Origin {
  /** Base of absolute links: `http://host:port` as the client called us. The setting PUBLIC_URL goes before it. */
  base: string;
  /** The path as it came, without query: it keeps the prefix. */
  path: string;
  query: Query;
}

export function originOf(request: Request): Origin {
  const host = request.headers.host ?? `${request.socket.localAddress}:${request.socket.localPort}`;
  // A proxy may hand on what the client wrote into X-Forwarded-Proto.
  const scheme = request.protocol === 'https' ? 'https' : 'http';
  return { base: `${scheme}://${host}`, ...targetOf(request) };
}

/** Handler parameter: how the client reached us. */
export const From = createParamDecorator((_: unknown, context: ExecutionContext) =>
  originOf(context.switchToHttp().getRequest<Request>()),
);

/** Handler parameter: the query of the request. */
export const SentQuery = createParamDecorator(
  (_: unknown, context: ExecutionContext) => targetOf(context.switchToHttp().getRequest<Request>()).query,
);
