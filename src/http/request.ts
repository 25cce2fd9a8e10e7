import type { IncomingMessage, ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Envelope } from './envelope.js';
import { type RequestTarget, targetOf } from './request-target.js';

/** A request's share of the work that admission control lets run at once (see operations/admission.ts). */
export interface AdmissionSlot {
  /** Frees the slot for another request. */
  release(): void;
  /** Queues for a slot again; never resolves if the client disconnects first. @throws ApiError 503 if it takes too long */
  reacquire(): Promise<void>;
}

/** A request with the fields that Express, middlewares and guards add. One module writes each field. */
export interface RegistryRequest extends IncomingMessage {
  method: string;
  url: string;
  /** The values of the route's parameters, decoded; set by Express. */
  params: Record<string, string>;
  /** The matched route with its template, such as `/api/0.1/assets/:id`; set by Express. */
  route?: { path: string };
  /** See splitAuthority. */
  authority?: string | undefined;
  /** See targetOf. */
  target?: RequestTarget;
  /** See requestIdOf. */
  requestId?: string;
  /** See checkDryRun in query-parameters.ts. */
  isDryRun?: boolean;
  /** Set by admission control; undefined if the request needs none. */
  slot?: AdmissionSlot;
  /** See envelopeOf. */
  envelope?: Envelope;
  /** Parsed and raw body of a write without EnvelopeGuard; undefined if there was none. See readJsonBody in json-body.ts. */
  body?: unknown;
  rawBody?: Buffer;
  /** The reason of a 503 answer. */
  unavailable?: string;
  /** Milliseconds in which the service waited: for the body, or for a change that the client asked for. */
  idleMs: number;
  /** When the present wait began, by the monotonic clock; undefined if the service is not waiting. */
  idleSinceMs?: number | undefined;
  /** When the request arrived, by the monotonic clock. */
  arrivedMs: number;
}

export interface RegistryResponse extends ServerResponse {
  req: RegistryRequest;
  /** Called once the answer is written, which the client may still be reading. Set by admission control. */
  whenAnswered?: () => void;
  /** Charges the client's rate limit for work on the answer. @param bytes size of an ordinary answer that takes as long. Set by RateLimits */
  chargeWork?: (bytes: number) => void;
}

/** A middleware for every request, before routing. Its exceptions are answered as errors. */
export type Middleware = (request: RegistryRequest, response: RegistryResponse) => void;
/** Admission control: calls `enter`, now or later, or answers itself. */
export type AdmissionMiddleware = (request: RegistryRequest, response: RegistryResponse, enter: () => void) => void;

const WRITES = new Set(['POST', 'PATCH', 'PUT', 'DELETE']);

export function isRead({ method }: Pick<RegistryRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** PUT and DELETE are methods of modules only. */
export function isWrite({ method }: Pick<RegistryRequest, 'method'>): boolean {
  return WRITES.has(method);
}

/** Handler parameter: the request itself, for a pipe that reads it. */
export const RequestParam = createParamDecorator((_: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<RegistryRequest>(),
);

/** Handler parameter: the query of the request. */
export const RequestQuery = createParamDecorator(
  (_: unknown, context: ExecutionContext) => targetOf(context.switchToHttp().getRequest<RegistryRequest>()).query,
);
