import proxyAddr from 'proxy-addr';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Envelope } from './request-body.js';
import { type RequestTarget, requestIdOf, type Query, targetOf } from './request-head.js';
import { createParamDecorator, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { isIPv6, type Socket } from 'node:net';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.module.js';
import { logger } from '../logging/logger.js';

/*
 * A request and its answer as the registry's server makes them, and the client: how it reached us, and that it waits. What the layers find
 * out about a request is kept in fields of it. Fields survive when Express replaces the prototype of the objects, and cost less than maps and
 * listeners.
 */

const NO_PARAMS: Readonly<Record<string, string>> = {};
const NO_HEADERS: IncomingMessage['headers'] = {};
const NO_RAW_HEADERS: string[] = [];

/** A request's place among those that are worked on at once (see operations/door.ts). */
export interface Place {
  /** Whom the request is counted for: its key, which was not checked yet. */
  readonly party: string;
  /** Gives the place to others while the client takes its time. */
  stepOut(): void;
  /** Resolves when there is a place again (`anew`: in the turn of who comes for the first time); never, if the client goes away before. @throws ApiError 503 when that takes too long */
  comeBack(how?: 'anew'): Promise<void>;
}

/** A request. Each field belongs to one module, which writes it and reads it by its own functions. */
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
  /** See checkDryRun in query-parameters.ts. */
  isDryRun = false;
  /** See inTurn: it was answered before its body was there. */
  isBodyUnwanted = false;
  /** Set by admission; undefined for what needs none. */
  place: Place | undefined = undefined;
  /** See envelopeOf. */
  envelope: Envelope | undefined = undefined;
  /** How long nothing was asked of the service since it came: it had others before it on its connection, its body was on the way, or it waited for a change. In milliseconds. */
  idleMs = 0;
  /** Since when it waits so now, by the monotonic clock; undefined while it does not. */
  idleSinceMs: number | undefined = undefined;
  /** When it came, by the monotonic clock in milliseconds. */
  readonly arrivedMs = performance.now();

  /** For an answer that goes on for long: what the client has sent of headers is kept no longer. */
  forgetHeaders(): void {
    this.headers = NO_HEADERS;
    this.rawHeaders = NO_RAW_HEADERS;
  }
}

/** Whether a request asks for something, and changes nothing. */
export function isRead({ method }: Pick<RegistryRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

export function isWrite({ method }: Pick<RegistryRequest, 'method'>): boolean {
  return method === 'POST' || method === 'PATCH';
}

/** An answer, with callbacks for when it is ready and when it is over. Each is called once, in the order in which they were added. */
export class RegistryResponse extends ServerResponse<RegistryRequest> {
  /** Called when the answer is complete on our side; the client may still be reading it. */
  readonly whenAnswered: (() => void)[] = [];
  /** Called when the client has taken the answer, or the connection is gone. */
  readonly whenOver: (() => void)[] = [];
  /** Charges the client's rate limit for work on the answer, in bytes of an ordinary answer that takes as long. Set by the rate limits. */
  worked: (bytes: number) => void = ignored;

  constructor(request: RegistryRequest) {
    super(request);
    this.on('close', callAll);
  }
}

function ignored(): void {
  // Without a rate limit.
}

function callAll(this: RegistryResponse): void {
  for (const act of this.whenOver) act();
}

/** A step that a request takes before its route is looked up. What it throws is answered as an error. */
export type Step = (request: RegistryRequest, response: RegistryResponse) => void;
/** The last of them: it calls `enter`, now or later, or answers itself. */
export type Gate = (request: RegistryRequest, response: RegistryResponse, enter: () => void) => void;

/** The client that waits for an answer. */
export interface Caller {
  requestId: string;
  /** How long it has waited already, in milliseconds, without the time in which nothing was asked of the service. */
  waitedMs: number;
  /** About how many bytes of memory what it has sent takes until the answer. */
  heldBytes: number;
  /** Whether the connection has closed before the answer. */
  isGone(): boolean;
  /** Calls `act` if the connection closes before the answer. */
  whenGone(act: () => void): void;
  /**
   * Waits for something that is no work of the service, without a place among the requests that are worked on.
   * @param how `anew`: it does not go before those that come for the first time then
   * @throws ApiError 503 when there is no place again afterwards
   */
  idle<Result>(waiting: Promise<Result>, how?: 'anew'): Promise<Result>;
  /** Gives up its place, until `comeBack` where that is called. What comes between is no work of the service. */
  stepOut(): void;
  /** Waits for a place again, without going before requests that wait for their first. @throws ApiError 503 when there is no place again */
  comeBack(): Promise<void>;
  /** Charges the rate limit for work that the size of the answer does not show. In bytes of an ordinary answer that takes as long. */
  worked(bytes: number): void;
}

/** Handler parameter: the caller. */
export const CalledBy = createParamDecorator((_: unknown, context: ExecutionContext): Caller =>
  callerOf(context.switchToHttp().getResponse<RegistryResponse>()),
);

/** The client that waits for `response`. */
export function callerOf(response: RegistryResponse): Caller {
  return new WaitingCaller(response);
}

/**
 * A class, and no object with a getter of its own: of each such object V8 makes a description in the old generation, which keeps what the
 * getter refers to.
 */
class WaitingCaller implements Caller {
  constructor(private readonly response: RegistryResponse) {}

  get requestId(): string {
    return requestIdOf(this.response.req);
  }

  get waitedMs(): number {
    return waitedMs(this.response.req);
  }

  get heldBytes(): number {
    return this.response.req.envelope?.held ?? 0;
  }

  isGone(): boolean {
    return this.response.destroyed;
  }

  whenGone(act: () => void): void {
    const { response } = this;
    if (response.destroyed) act();
    else
      response.whenOver.push(() => {
        if (!response.writableEnded) act();
      });
  }

  idle<Result>(waiting: Promise<Result>, how?: 'anew'): Promise<Result> {
    return idle(this.response.req, waiting, how);
  }

  stepOut(): void {
    stepOut(this.response.req);
  }

  comeBack(): Promise<void> {
    return comeBack(this.response.req, 'anew');
  }

  worked(bytes: number): void {
    this.response.worked(bytes);
  }
}

/** Gives up the request's place while `waiting` is pending. @throws ApiError 503 when there is no place again afterwards */
export async function idle<Result>(request: RegistryRequest, waiting: Promise<Result>, how?: 'anew'): Promise<Result> {
  stepOut(request);
  const result = await waiting;
  await comeBack(request, how);
  return result;
}

function stepOut(request: RegistryRequest): void {
  request.idleSinceMs ??= performance.now();
  request.place?.stepOut();
}

async function comeBack(request: RegistryRequest, how: 'anew' | undefined): Promise<void> {
  const nowMs = performance.now();
  request.idleMs += nowMs - (request.idleSinceMs ?? nowMs);
  request.idleSinceMs = undefined;
  await request.place?.comeBack(how);
}

/** How long the service has let a request wait. */
export function waitedMs({ arrivedMs, idleMs, idleSinceMs }: RegistryRequest): number {
  return (idleSinceMs ?? performance.now()) - arrivedMs - idleMs;
}

/** How a client reached a resource: what links in the answer are made from. */
export interface Origin {
  /** Base of absolute links: PUBLIC_URL, else `http://host:port` as the client called us. */
  base: string;
  /** The path as it came, without query: it keeps the prefix. */
  path: string;
  query: Query;
}

/** Headers by which a proxy tells of its client. */
const FORWARDED = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

/** Finds out how the client of a request reached us. What a proxy says of that counts where TRUST_PROXY names the proxy. */
@Injectable()
export class Origins {
  private readonly publicUrl: string | undefined;
  private readonly isTrusted: (address: string, distance: number) => boolean;
  private isProxyLogged = false;

  constructor(@Inject(CONFIG) { publicUrl, trustProxy }: Config) {
    this.publicUrl = publicUrl;
    this.isTrusted = proxyAddr.compile(trustProxy);
  }

  of(request: RegistryRequest): Origin {
    const { path, query } = targetOf(request);
    return { base: this.publicUrl ?? this.baseOf(request), path, query };
  }

  /** Logs, once, that a proxy which TRUST_PROXY does not name seems to stand in front. */
  readonly noticeProxy = ({ headers, socket }: RegistryRequest): void => {
    if (this.isProxyLogged || !FORWARDED.some((name) => name in headers)) return;
    const address = socket.remoteAddress ?? '';
    if (this.isTrusted(address, 0)) return;
    this.isProxyLogged = true;
    const missing = this.publicUrl === undefined ? ', and PUBLIC_URL to the base of public links' : '';
    logger.warn(
      { address },
      `X-Forwarded headers came from an address that TRUST_PROXY does not name, and are ignored. If it is your proxy, set TRUST_PROXY to its network${missing}; otherwise a client sent them`,
    );
  };

  private baseOf({ authority, headers, socket }: RegistryRequest): string {
    const host = authority ?? headers.host ?? addressOf(socket);
    const forwarded = String(headers['x-forwarded-proto'] ?? '');
    // The first of several proxies was called by the client. Its word is only compared, as a client may have written it.
    const [first = ''] = forwarded.split(',');
    const isSecure = first.trim() === 'https' && this.isTrusted(socket.remoteAddress ?? '', 0);
    return `${isSecure ? 'https' : 'http'}://${host}`;
  }
}

/** The address that was called, for HTTP/1.0 without a Host. The zone of an IPv6 address means something on this machine only. */
function addressOf({ localAddress = '', localPort }: Socket): string {
  const [address = ''] = localAddress.split('%');
  return `${isIPv6(address) ? `[${address}]` : address}:${localPort}`;
}

/** Handler parameter: the request itself, for a pipe that reads it. */
export const Sent = createParamDecorator((_: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<RegistryRequest>(),
);

/** Handler parameter: the query of the request. */
export const SentQuery = createParamDecorator(
  (_: unknown, context: ExecutionContext) => targetOf(context.switchToHttp().getRequest<RegistryRequest>()).query,
);
