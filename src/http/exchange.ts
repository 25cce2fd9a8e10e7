import { IncomingMessage, ServerResponse } from 'node:http';
import type { Envelope } from './request-body.js';
import type { RequestTarget } from './request-target.js';

/*
 * A request and its answer as the registry's server makes them. What its layers find out of a request stands on it, in fields: they are
 * kept when Express gives the objects another prototype, and cost less than a map or a listener for each of them.
 */

const NO_PARAMS: Readonly<Record<string, string>> = {};

/** A request's place among those that are worked on. */
export interface Place {
  /** Who the request says that it comes from: its key, which may be a wrong one. */
  readonly party: string;
  /** Gives the place to others while the client takes its time. */
  stepOut(): void;
  /** Resolves when there is a place again; never, where the client goes away before. @throws ApiError 503 when that takes too long */
  comeBack(): Promise<void>;
}

/** A request. Its fields are written by one module each, whose functions read them. */
export class RegistryRequest extends IncomingMessage {
  declare method: string;
  declare url: string;
  /** The values of the route's parameters, decoded; set by the adapter. */
  params: Readonly<Record<string, string>> = NO_PARAMS;
  /** The template of the route that took it, such as `/api/0.1/assets/:id`; set by the adapter. */
  route: string | undefined = undefined;
  /** See splitAuthority. */
  authority: string | undefined = undefined;
  /** See targetOf. */
  target: RequestTarget | undefined = undefined;
  /** See requestIdOf. */
  requestId: string | undefined = undefined;
  /** Set by admission; undefined for what needs none. */
  place: Place | undefined = undefined;
  /** See envelopeOf. */
  envelope: Envelope | undefined = undefined;
  /** For how long its body was waited for, in milliseconds; set by EnvelopeGuard. */
  bodyMs = 0;
  /** When it came, by the monotonic clock in milliseconds. */
  readonly arrivedMs = performance.now();
}

/** An answer, and what is to be done when it is ready or over. Each is called once, in the order of their coming. */
export class RegistryResponse extends ServerResponse<RegistryRequest> {
  /** When the answer has been handed over, though the client may take its time to read it. */
  readonly whenAnswered: (() => void)[] = [];
  /** When the answer was taken, or the connection is gone. */
  readonly whenOver: (() => void)[] = [];
  /** What it took to make the answer, as the bytes of an ordinary one that takes as much. */
  workBytes = 0;

  constructor(request: RegistryRequest) {
    super(request);
    this.on('close', callAll);
  }
}

function callAll(this: RegistryResponse): void {
  for (const act of this.whenOver) act();
}

/** What takes a request before its route is looked up; what it throws is answered as an error. */
export type Step = (request: RegistryRequest, response: RegistryResponse, next: () => void) => void;
