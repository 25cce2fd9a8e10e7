import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
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
import {
  Answer,
  ASK_FIRST,
  COMMON_HEADERS,
  PageAnswer,
  StreamedAnswer,
  streamAnswer,
  writeAnswer,
  writePage,
} from './answer.js';
import { Connections } from './connections.js';
import { descriptorLimit } from './descriptor-limit.js';
import { RegistryRequest, RegistryResponse, type Step } from './exchange.js';
import { MOST_HEADERS, requestIdOf, splitAuthority } from './request-head.js';
import { Throttle } from './throttle.js';
import { targetOf } from './request-target.js';
import { type Handler, Routes } from './routes.js';
import { afterTurns, inTurn } from './turns.js';

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
/** Made once: thousands may be late together. */
const TOO_SLOW = tooSlow();
const SILENT_SOCKET_MS = 60_000;
const MOST_CONNECTIONS = 20_000;
/** The share of file descriptors for connections. The rest is for the database, the log and connections that are being closed. */
const SHARE_OF_DESCRIPTORS = 0.8;

type ErrorHandler = (error: unknown, request: RegistryRequest, response: RegistryResponse, next: () => void) => void;

/**
 * Nest's HTTP adapter. Every request takes the same steps. Then the registry's own routes are looked up here, because Express takes longer
 * for that than the rest of a read takes (decision 21). Other paths are left to Express, which is configured to take paths literally and to
 * add nothing to answers.
 */
export class RegistryAdapter extends ExpressAdapter {
  private readonly steps: Step[] = [];
  private readonly routes = new Routes();
  private answerError: ErrorHandler | undefined;

  constructor() {
    super(quietExpress());
  }

  override initHttpServer(): void {
    const server = createServer(SERVER_OPTIONS);
    server.maxHeadersCount = MOST_HEADERS;
    server.timeout = SILENT_SOCKET_MS;
    const connections = new Connections(server as unknown as Server, mostConnections());
    const takeTurns = (response: RegistryResponse, handle: () => void): void => {
      const { socket } = response.req;
      connections.step(socket);
      response.whenOver.push(() => connections.step(socket));
      inTurn(response, handle);
    };
    server.on('request', (request, response) => {
      // Done here, as Express skips our middleware for a request target that it cannot parse.
      splitAuthority(request);
      takeTurns(response, () => this.runStep(request, response, 0));
    });
    server.on('checkExpectation', (_request, response) => takeTurns(response, () => refuseExpectation(response)));
    answerBrokenRequests(server);
    this.httpServer = server as unknown as Server;
  }

  /** Adds a step that every request takes before its route is looked up. Steps run in the order in which they were added. */
  before(step: Step): void {
    this.steps.push(step);
  }

  override get(...registration: unknown[]): void {
    this.register('GET', registration);
  }

  override post(...registration: unknown[]): void {
    this.register('POST', registration);
  }

  override patch(...registration: unknown[]): void {
    this.register('PATCH', registration);
  }

  override setErrorHandler(handler: ErrorHandler, prefix?: string): void {
    this.answerError = handler;
    super.setErrorHandler(handler, prefix);
  }

  override status(response: RegistryResponse, status: number): void {
    response.statusCode = status;
  }

  override reply(response: RegistryResponse, body: unknown): void {
    if (body instanceof Answer) writeAnswer(response, body);
    else if (body instanceof PageAnswer) writePage(response, body);
    else if (body instanceof StreamedAnswer) streamAnswer(response, body);
    else throw new TypeError('A handler returns an Answer');
  }

  private register(method: string, registration: unknown[]): void {
    const [template, handle] = registration as [string, Handler];
    if (this.routes.add(method, template, handle)) return;
    const app = this.getInstance<express.Express>();
    app[method.toLowerCase() as 'get'](template, handle as never);
  }

  /** Runs the `n`th step. A step may call `next` later, from other code, which must not get the errors of the steps that follow. */
  private runStep(request: RegistryRequest, response: RegistryResponse, n: number): void {
    try {
      const step = this.steps[n];
      if (step === undefined) this.route(request, response);
      else step(request, response, () => this.runStep(request, response, n + 1));
    } catch (error) {
      this.answerError?.(error, request, response, nothing);
    }
  }

  private route(request: RegistryRequest, response: RegistryResponse): void {
    const { path } = targetOf(request);
    const found = this.routes.find(request.method, path);
    if (found === undefined) {
      const methods = this.routes.allowedAt(path);
      if (methods !== undefined) throw actionNotFound(methods);
      this.getInstance<express.Express>()(request as never, response as never);
      return;
    }
    request.params = found.params;
    request.route = found.template;
    found.handle(request, response, nothing);
  }
}

/** The `next` of the registry's routes, which answer or throw: nothing comes after them. */
const nothing = (): void => undefined;

function mostConnections(): number {
  return Math.min(MOST_CONNECTIONS, Math.floor((descriptorLimit() ?? Infinity) * SHARE_OF_DESCRIPTORS));
}

function quietExpress(): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('env', 'production');
  app.set('query parser', false);
  app.enable('case sensitive routing');
  app.enable('strict routing');
  return app;
}

/** Answers what Node refuses before it becomes a request, with the API's error bodies. */
function answerBrokenRequests(server: Server<typeof RegistryRequest, typeof RegistryResponse>): void {
  const refused = new WeakSet<Duplex>();
  const late = new Throttle();
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // After the first fault the parser reports every further chunk as well.
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
    // Node calls this for any value that contains 100-continue.
    if (request.headers.expect?.trim().toLowerCase() !== '100-continue') {
      server.emit('checkExpectation', request, response);
      return;
    }
    response.writeContinue();
    server.emit('request', request, response);
  });
}

function refuseExpectation(response: RegistryResponse): void {
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
  socket.end(`HTTP/1.1 ${error.status} ${REASONS[error.status]}\r\n${lines.join('')}\r\n${body}`);
  // end() alone would wait until the client closes its side, which an attacker never does.
  (socket as Duplex & { destroySoon?: () => void }).destroySoon?.();
}

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  404: 'Not Found',
  408: 'Request Timeout',
  413: 'Content Too Large',
  431: 'Request Header Fields Too Large',
};
