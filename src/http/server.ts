import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ApiError } from '../errors/api-error.js';
import {
  actionNotFound,
  bodyTooLarge,
  headTooLarge,
  malformedRequest,
  malformedUrl,
  tooSlow,
} from '../errors/errors.js';
import { ASK_FIRST, COMMON_HEADERS } from './answer.js';
import { Connections, type Handle } from './connections.js';
import { RegistryRequest, RegistryResponse } from './exchange.js';
import { closeLingering, stopParsing } from './lingering-close.js';
import { paceClosing } from './paced-closing.js';
import { inWholeRead, paceReading } from './paced-reading.js';
import { expectsContinue, MOST_HEADERS, requestIdOf } from './request-head.js';
import { afterTurns, lacksBody } from './turn-queue.js';

const SERVER_OPTIONS = {
  IncomingMessage: RegistryRequest,
  ServerResponse: RegistryResponse,
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  // Short: each check finds all late requests at once, which may be thousands that somebody opened together.
  connectionsCheckingInterval: 20,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
  // Node's own refusal has an empty body: checkRequestHead answers instead.
  requireHostHeader: false,
  insecureHTTPParser: false,
  joinDuplicateHeaders: false,
  noDelay: true,
  // TCP finds out clients that went away without closing the connection.
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
};
/** Node's code for a request that did not come in time. */
const TOO_LATE = 'ERR_HTTP_REQUEST_TIMEOUT';
/** Node's codes for a method that its parser does not know. */
const UNKNOWN_METHOD: ReadonlySet<unknown> = new Set(['HPE_INVALID_METHOD', 'HPE_INVALID_CONSTANT']);
/** The method is a token of RFC 9110. */
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r\n/;
/** Made once: thousands may be late together. */
const TOO_SLOW = tooSlow();
const SILENT_SOCKET_MS = 60_000;
const MOST_CONNECTIONS = 20_000;
/** The share of file descriptors for connections. The rest is for the database, the log and connections that are being closed. */
const SHARE_OF_DESCRIPTORS = 0.8;
const WHERE_LINUX_SAYS = '/proc/self/limits';
/** Refusals of requests that came too late, at once and then after each pause. */
const LATE_AT_ONCE = 8;
const LATE_PAUSE_MS = 5;

/** Node's server as the registry has it: bounded, and what it refuses has the API's error bodies. @param handle called for each request, in its turn */
export function createRegistryServer(handle: Handle): Server {
  const server = createServer(SERVER_OPTIONS);
  server.maxHeadersCount = MOST_HEADERS;
  server.timeout = SILENT_SOCKET_MS;
  const connections = new Connections(server as unknown as Server, mostConnections());
  server.on('connection', paceReading);
  server.on('connection', paceClosing);
  server.on('request', connections.inTurns(handle));
  // What is expected is checked in its turn, as everything else of a head.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('checkContinue', (request, response) => {
    // Node calls this for any value that contains 100-continue.
    if (expectsContinue(request)) response.writeContinue();
    server.emit('request', request, response);
  });
  answerBrokenRequests(server);
  return server as unknown as Server;
}

/** How many connections a process has at once. */
export function mostConnections(): number {
  return Math.min(MOST_CONNECTIONS, Math.floor((descriptorLimit() ?? Infinity) * SHARE_OF_DESCRIPTORS));
}

/** How many files and sockets this process may have open; undefined where the system does not say, or there is no limit. */
function descriptorLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync(WHERE_LINUX_SAYS, 'utf8')) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
  /** Where it was found there. */
  bytesParsed?: number;
}

/** Answers what Node refuses before it becomes a request, with the API's error bodies. */
function answerBrokenRequests(server: Server<typeof RegistryRequest, typeof RegistryResponse>): void {
  const refused = new WeakSet<Duplex>();
  const late = new Throttle();
  server.on('clientError', (error: ParserError, socket) => {
    // After the first fault the parser reports every further chunk as well.
    if (refused.has(socket)) return;
    // What it lacks was sent in time, and waits here. Node finds a request late only once.
    if (error.code === TOO_LATE && socket.readableLength > 0) {
      setTimeout(() => lacksBody(socket) && server.emit('clientError', error, socket), server.requestTimeout).unref();
      return;
    }
    refused.add(socket);
    Object.assign(error, inWholeRead(socket, error.bytesParsed));
    const refuse = (): void =>
      afterTurns(socket, () => refuseOnSocket(socket, errorOf(error), randomUUID(), isOfHead(error)));
    if (error.code === TOO_LATE) late.add(refuse);
    else refuse();
  });
  server.on('connect', (request, socket) => {
    // Node takes its own listener away, and an error that nobody hears ends the process.
    socket.on('error', () => undefined);
    stopParsing(socket as Socket);
    afterTurns(socket, () => refuseOnSocket(socket, actionNotFound(), requestIdOf(request)));
  });
}

function errorOf(error: ParserError): ApiError {
  if (hasUnknownMethod(error)) return actionNotFound();
  if (error.code === 'HPE_HEADER_OVERFLOW') return headTooLarge();
  if (error.code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return bodyTooLarge();
  if (error.code === 'HPE_INVALID_URL') return malformedUrl();
  if (error.code === TOO_LATE) return TOO_SLOW;
  return malformedRequest();
}

/** Whether all that is wrong is a method that Node does not know. */
function hasUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (!UNKNOWN_METHOD.has(code) || rawPacket === undefined) return false;
  // Requests before it may be in the same packet.
  const text = rawPacket.toString('latin1');
  return REQUEST_LINE.test(text.slice(text.lastIndexOf('\n', bytesParsed - 1) + 1));
}

/** Whether it was found in the head of a HEAD, as far as the packet shows. */
function isOfHead({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  // Requests before it may be in the same packet.
  const heads = rawPacket?.toString('latin1', 0, bytesParsed).split('\r\n\r\n') ?? [];
  return heads.at(-1)?.trimStart().startsWith('HEAD ') ?? false;
}

function refuseOnSocket(
  socket: Duplex & { _httpMessage?: ServerResponse | null },
  error: ApiError,
  requestId: string,
  isBodyless = false,
): void {
  // The answer has begun: the client would read a second status line as part of it.
  if (!socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const body = error.body();
  const headers = {
    ...COMMON_HEADERS,
    ...ASK_FIRST,
    'X-Request-ID': requestId,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${error.status} ${REASONS[error.status]}\r\n${lines.join('')}\r\n${isBodyless ? '' : body}`);
  closeLingering(socket as Socket);
}

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  404: 'Not Found',
  408: 'Request Timeout',
  413: 'Content Too Large',
  431: 'Request Header Fields Too Large',
};

/** Runs work that may wait, a few pieces at a time (about 1,600 a second), so that other work need not wait for all of it. */
class Throttle {
  private waiting: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;

  add(work: () => void): void {
    this.waiting.push(work);
    this.timer ??= setInterval(() => this.goOn(), LATE_PAUSE_MS);
  }

  private goOn(): void {
    for (const work of this.waiting.splice(0, LATE_AT_ONCE)) work();
    if (this.waiting.length > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
