import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import type { ApiError } from '../errors/api-error.js';
import {
  actionNotFound,
  bodyTooLarge,
  expectationRefused,
  headTooLarge,
  malformedRequest,
  tooSlow,
} from '../errors/errors.js';
import { Answer, COMMON_HEADERS, writeAnswer } from './answer.js';
import { Connections } from './connections.js';
import { descriptorLimit } from './descriptor-limit.js';
import { MOST_HEADERS, withoutAuthority } from './request-head.js';
import { Paced } from './paced.js';
import { requestIdOf } from './request-id.js';
import { afterTurns, inTurn } from './turns.js';

type Response = ServerResponse & { req: IncomingMessage };

const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  // Short, because all that are late by then are found in one go: thousands, where somebody opened them together.
  connectionsCheckingInterval: 20,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
  // Node's own refusal has an empty body: checkRequestHead answers instead.
  requireHostHeader: false,
  insecureHTTPParser: false,
  joinDuplicateHeaders: false,
  noDelay: true,
  // Peers that went away without a word are found out.
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
};
/** Node's code for a request that did not come in time. */
const TOO_LATE = 'ERR_HTTP_REQUEST_TIMEOUT';
/** Made once: thousands may be late together. */
const TOO_SLOW = tooSlow();
const SILENT_SOCKET_MS = 60_000;
const MOST_CONNECTIONS = 20_000;
/** The rest is for the database, the log and the connections that are being closed. */
const SHARE_OF_DESCRIPTORS = 0.8;

/** Express as the registry needs it: bounded, literal about paths, and silent where Express has an opinion about answers. */
export class RegistryAdapter extends ExpressAdapter {
  /** @param trustProxy networks whose X-Forwarded headers are believed */
  constructor(trustProxy: string[]) {
    super(quietExpress(trustProxy));
  }

  override initHttpServer(): void {
    const server = createServer(SERVER_LIMITS);
    server.maxHeadersCount = MOST_HEADERS;
    server.timeout = SILENT_SOCKET_MS;
    const connections = new Connections(server, mostConnections());
    const takeTurns = (response: Response, handle: () => void): void => {
      connections.step(response.req.socket);
      response.once('finish', () => connections.step(response.req.socket));
      inTurn(response, handle);
    };
    const handleRequest = this.getInstance<express.Express>();
    server.on('request', (request, response) => {
      // Express passes a target that it cannot read by all that is ours.
      request.url = withoutAuthority(request.url ?? '/');
      takeTurns(response, () => handleRequest(request, response));
    });
    server.on('checkExpectation', (_request, response) => takeTurns(response, () => refuseExpectation(response)));
    answerBrokenRequests(server);
    this.httpServer = server;
  }

  override reply(response: Response, body: unknown): void {
    if (!(body instanceof Answer)) throw new TypeError('A handler returns an Answer');
    writeAnswer(response, body);
  }
}

function mostConnections(): number {
  return Math.min(MOST_CONNECTIONS, Math.floor((descriptorLimit() ?? Infinity) * SHARE_OF_DESCRIPTORS));
}

function quietExpress(trustProxy: string[]): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('env', 'production');
  app.set('query parser', false);
  app.set('trust proxy', trustProxy);
  app.enable('case sensitive routing');
  app.enable('strict routing');
  return app;
}

/** What never becomes a request for Express is answered here, in the same words. */
function answerBrokenRequests(server: Server): void {
  const refused = new WeakSet<Duplex>();
  const late = new Paced();
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // The parser complains about every byte that comes after the first fault.
    if (refused.has(socket)) return;
    refused.add(socket);
    const refuse = (): void => afterTurns(socket, () => refuseOnSocket(socket, errorOf(error), randomUUID()));
    if (error.code === TOO_LATE) late.add(refuse);
    else refuse();
  });
  server.on('connect', (request, socket) =>
    afterTurns(socket, () => refuseOnSocket(socket, actionNotFound(), requestIdOf(request))),
  );
  server.on('checkContinue', (request, response) => {
    // Node calls this for any text that has 100-continue in it.
    if (request.headers.expect?.trim().toLowerCase() !== '100-continue') {
      server.emit('checkExpectation', request, response);
      return;
    }
    response.writeContinue();
    server.emit('request', request, response);
  });
}

function refuseExpectation(response: Response): void {
  const error = expectationRefused();
  writeAnswer(response, new Answer(error.status, error.body(), { Connection: 'close' }));
}

function errorOf(error: NodeJS.ErrnoException): ApiError {
  if (error.code === 'HPE_HEADER_OVERFLOW') return headTooLarge();
  if (error.code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return bodyTooLarge();
  if (error.code === TOO_LATE) return TOO_SLOW;
  return malformedRequest();
}

function refuseOnSocket(
  socket: Duplex & { _httpMessage?: ServerResponse | null },
  error: ApiError,
  requestId: string,
): void {
  // After an answer has begun a second status line would be read as part of it.
  if (!socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const body = error.body();
  const headers = {
    ...COMMON_HEADERS,
    'X-Request-ID': requestId,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${error.status} ${REASONS[error.status]}\r\n${lines.join('')}\r\n${body}`);
  // end() alone waits for the other side, which an attacker never closes.
  (socket as Duplex & { destroySoon?: () => void }).destroySoon?.();
}

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  404: 'Not Found',
  408: 'Request Timeout',
  413: 'Content Too Large',
  431: 'Request Header Fields Too Large',
};
