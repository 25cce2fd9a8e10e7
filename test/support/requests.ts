import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RegistryRequest, RegistryResponse } from '../../src/http/request.js';

/** A request as the service's middleware sees it, without a connection. */
export function aRequest(fields: Partial<RegistryRequest> = {}): RegistryRequest {
  const defaults = { method: 'GET', url: '/', params: {}, idleMs: 0, arrivedMs: performance.now() };
  return Object.assign(new IncomingMessage(new Socket()), defaults, { complete: true }, fields) as RegistryRequest;
}

export function anAnswerTo(request: RegistryRequest): RegistryResponse {
  return new ServerResponse(request) as RegistryResponse;
}
