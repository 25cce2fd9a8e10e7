import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiError } from '../platform/errors/api-error.js';
import {
  actionNotFound,
  bodyTooLarge,
  headTooLarge,
  malformedRequest,
  malformedUrl,
  tooSlow,
} from '../platform/errors/errors.js';
import { REVALIDATE, COMMON_HEADERS } from './answer.js';
import { cutConnection } from './cut-connection.js';
import { Pipelines } from './pipeline.js';
import { MAX_HEADERS, requestIdOf } from './request-head.js';
import { type ParserError, withEscapedQuery } from './unescaped-query.js';

const SERVER_OPTIONS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
  // Node's own refusal has an empty body: checkRequestHead answers instead.
  requireHostHeader: false,
  insecureHTTPParser: false,
  joinDuplicateHeaders: false,
  noDelay: true,
  // TCP keep-alive detects clients that vanished without closing the connection.
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
};
/** A connection is closed after this time without a byte in either direction. */
const IDLE_SOCKET_MS = 60_000;
const MAX_CONNECTIONS = 20_000;
/** The share of file descriptors for connections. The rest is for the database, the log and connections that are being closed. */
const SHARE_OF_DESCRIPTORS = 0.8;
const PROCESS_LIMITS = '/proc/self/limits';
/** How long a connection whose request was refused stays open for its client to read the answer. */
const REFUSED_MS = 2_000;

/** Node's code for a request that did not arrive in time. */
const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
/** Node's codes for a method that its parser does not know. */
const UNKNOWN_METHOD: ReadonlySet<unknown> = new Set(['HPE_INVALID_METHOD', 'HPE_INVALID_CONSTANT']);
/** The method is a token of RFC 9110. */
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r\n/;

/** Node's server with the registry's limits, and the API's error bodies for requests that Node itself refuses. */
export function createRegistryServer(handle: RequestListener): Server {
  const server = createServer(SERVER_OPTIONS);
  const pipelines = new Pipelines();
  server.on('request', (request, response) => pipelines.add(response, () => handle(request, response)));
  server.maxHeadersCount = MAX_HEADERS;
  server.timeout = IDLE_SOCKET_MS;
  server.maxConnections = maxConnections();
  server.on('timeout', (socket) => cutConnection(socket, 'idle for a minute'));
  // Handled as requests, so that the earlier checks run before the body is requested or the expectation is refused.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  answerBrokenRequests(server, pipelines);
  return server;
}

export function maxConnections(): number {
  return Math.min(MAX_CONNECTIONS, Math.floor((descriptorLimit() ?? Infinity) * SHARE_OF_DESCRIPTORS));
}

/** Maximum open files and sockets of this process; undefined if it is unknown or unlimited. */
function descriptorLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync(PROCESS_LIMITS, 'utf8')) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/** Answers bytes that Node refuses to parse, with the API's error bodies. */
function answerBrokenRequests(server: Server, pipelines: Pipelines): void {
  const refused = new WeakSet<Duplex>();
  server.on('clientError', (error: ParserError, socket) => {
    // After the first fault the parser reports every further chunk as well.
    if (refused.has(socket)) return;
    refused.add(socket);
    const replayed = withEscapedQuery(error, socket);
    pipelines.answerAfter(socket, () => {
      if (replayed !== undefined) server.emit('connection', replayed);
      else refuseOnSocket(socket, errorOf(error), randomUUID(), isOfHead(error));
    });
  });
  server.on('connect', (request, socket) => {
    // Node removes its own listener, and an error without a listener ends the process.
    socket.on('error', () => undefined);
    socket.resume();
    pipelines.answerAfter(socket, () => refuseOnSocket(socket, actionNotFound(), requestIdOf(request)));
  });
}

function errorOf(error: ParserError): ApiError {
  if (hasUnknownMethod(error)) return actionNotFound();
  if (error.code === 'HPE_HEADER_OVERFLOW') return headTooLarge();
  if (error.code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return bodyTooLarge();
  if (error.code === 'HPE_INVALID_URL') return malformedUrl();
  if (error.code === REQUEST_TIMEOUT) return tooSlow();
  return malformedRequest();
}

/** Whether the only fault is a method that Node does not know. */
function hasUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (!UNKNOWN_METHOD.has(code) || rawPacket === undefined) return false;
  // Earlier requests may be in the same packet.
  const text = rawPacket.toString('latin1');
  return REQUEST_LINE.test(text.slice(text.lastIndexOf('\n', bytesParsed - 1) + 1));
}

/** Whether the request is a HEAD, as far as the packet shows. */
function isOfHead({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  // Earlier requests may be in the same packet.
  const heads = rawPacket?.toString('latin1', 0, bytesParsed).split('\r\n\r\n') ?? [];
  return heads.at(-1)?.trimStart().startsWith('HEAD ') ?? false;
}

function refuseOnSocket(socket: Duplex, error: ApiError, requestId: string, isBodyless = false): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = error.body();
  const headers = {
    ...COMMON_HEADERS,
    ...REVALIDATE,
    'X-Request-ID': requestId,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${error.status} ${REASONS[error.status]}\r\n${lines.join('')}\r\n${isBodyless ? '' : body}`);
  // Later, because a client that still sends to a closed socket gets a reset and may lose the answer.
  setTimeout(() => socket.destroy(), REFUSED_MS).unref();
}

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  404: 'Not Found',
  408: 'Request Timeout',
  413: 'Content Too Large',
  431: 'Request Header Fields Too Large',
};
