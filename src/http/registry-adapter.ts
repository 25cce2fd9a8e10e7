import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import type { ApiError } from '../errors/api-error.js';
import { actionNotFound, expectationRefused, headTooLarge, malformedRequest, tooSlow } from '../errors/errors.js';
import { Answer, COMMON_HEADERS, writeAnswer } from './answer.js';
import { MOST_HEADERS } from './request-head.js';
import { requestIdOf } from './request-id.js';

const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
  // Node's own refusal has an empty body: checkRequestHead answers instead.
  requireHostHeader: false,
  insecureHTTPParser: false,
  noDelay: true,
};
const SILENT_SOCKET_MS = 60_000;
const MOST_CONNECTIONS = 10_000;

/** Express as the registry needs it: bounded, literal about paths, and silent where Express has an opinion about answers. */
export class RegistryAdapter extends ExpressAdapter {
  /** @param trustProxy networks whose X-Forwarded headers are believed */
  constructor(trustProxy: string[]) {
    super(quietExpress(trustProxy));
  }

  override initHttpServer(): void {
    const server = createServer(SERVER_LIMITS, this.getInstance());
    server.maxHeadersCount = MOST_HEADERS;
    server.timeout = SILENT_SOCKET_MS;
    server.maxConnections = MOST_CONNECTIONS;
    answerBrokenRequests(server);
    this.httpServer = server;
  }

  override reply(response: ServerResponse & { req: IncomingMessage }, body: unknown): void {
    if (!(body instanceof Answer)) throw new TypeError('A handler returns an Answer');
    writeAnswer(response, body);
  }
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
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuseOnSocket(socket, errorOf(error), randomUUID()),
  );
  server.on('connect', (request, socket) => refuseOnSocket(socket, actionNotFound(), requestIdOf(request)));
  server.on('checkExpectation', (_request, response) => refuseExpectation(response));
  server.on('checkContinue', (request, response) => {
    // Node calls this for any text that has 100-continue in it.
    if (request.headers.expect?.trim().toLowerCase() !== '100-continue') {
      refuseExpectation(response);
      return;
    }
    response.writeContinue();
    server.emit('request', request, response);
  });
}

function refuseExpectation(response: ServerResponse & { req: IncomingMessage }): void {
  const error = expectationRefused();
  writeAnswer(response, new Answer(error.status, error.body(), { Connection: 'close' }));
}

function errorOf(error: NodeJS.ErrnoException): ApiError {
  if (error.code === 'HPE_HEADER_OVERFLOW') return headTooLarge();
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow();
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
  431: 'Request Header Fields Too Large',
};
