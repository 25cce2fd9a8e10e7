import type { IncomingMessage, ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Envelope } from './envelope.js';
import { type RequestTarget, targetOf } from './request-target.js';

/** A request's share of the work that admission control lets run at once (see operations/admission.ts). */
export interface AdmissionSlot {
  /** Lets another request in. */
  release(): void;
  /** Queues for a slot again. It never resolves if the client disconnects before. @throws ApiError 503 when that takes too long */
  reacquire(): Promise<void>;
}

/** A request as Express passes it on, with the findings of middlewares and guards. Each field is written by one module. */
export interface RegistryRequest extends IncomingMessage {
  method: string;
  url: string;
  /** The values of the route's parameters, decoded; set by Express. */
  params: Record<string, string>;
  /** The route that took it, with its template, such as `/api/0.1/assets/:id`; set by Express. */
  route?: { path: string };
  /** See splitAuthority. */
  authority?: string | undefined;
  /** See targetOf. */
  target?: RequestTarget;
  /** See requestIdOf. */
  requestId?: string;
  /** See checkDryRun in query-parameters.ts. */
  isDryRun?: boolean;
  /** Set by admission control; undefined for what needs none. */
  slot?: AdmissionSlot;
  /** See envelopeOf. */
  envelope?: Envelope;
  /** The body of a write that has no EnvelopeGuard, and its bytes; undefined where none came. See giveBody in json-body.ts. */
  body?: unknown;
  rawBody?: Buffer;
  /** The reason of its 503, if that was the answer. */
  unavailable?: string;
  /** How long it has not waited for the service: its body was on the way, or it waited for a change. In milliseconds. */
  idleMs: number;
  /** Since when it waits for something else than the service, by the monotonic clock; undefined while it does not. */
  idleSinceMs?: number | undefined;
  /** When it arrived, by the monotonic clock in milliseconds. */
  arrivedMs: number;
}

/** The answer to it. */
export interface RegistryResponse extends ServerResponse {
  req: RegistryRequest;
  /** Called when the answer is complete on our side; the client may still be reading it. Set by admission control. */
  whenAnswered?: () => void;
  /** Charges the client's rate limit for work on the answer, in bytes of an ordinary answer that takes as long. Set by the rate limits. */
  worked?: (bytes: number) => void;
}

/** A middleware that every request passes before its route is looked up. What it throws is answered as an error. */
export type Check = (request: RegistryRequest, response: RegistryResponse) => void;
/** The last middleware: it calls `enter`, now or later, or answers itself. */
export type Gate = (request: RegistryRequest, response: RegistryResponse, enter: () => void) => void;

const WRITES = new Set(['POST', 'PATCH', 'PUT', 'DELETE']);

/** Whether a request reads, and changes nothing. */
export function isRead({ method }: Pick<RegistryRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether a request may change something. PUT and DELETE are methods of modules only. */
export function isWrite({ method }: Pick<RegistryRequest, 'method'>): boolean {
  return WRITES.has(method);
}

/** Handler parameter: the request itself, for a pipe that reads it. */
export const Sent = createParamDecorator((_: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<RegistryRequest>(),
);

/** Handler parameter: the query of the request. */
export const SentQuery = createParamDecorator(
  (_: unknown, context: ExecutionContext) => targetOf(context.switchToHttp().getRequest<RegistryRequest>()).query,
);
