import { GUARDS_METADATA } from '@nestjs/common/constants.js';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type RequestHandler } from 'express';
import { actionNotFound } from '../platform/errors/errors.js';
import { allowHeader, optionsAnswer } from './allow-header.js';
import { Answer, openStream, PageAnswer, StreamedAnswer, streamAnswer, writeAnswer, writePage } from './answer.js';
import { API_PREFIX, apiPaths } from './api-paths.js';
import { EventStreamAnswer } from './event-stream.js';
import type { BodyMiddleware } from './json-body.js';
import {
  type AdmissionMiddleware,
  type Middleware,
  isWrite,
  type RegistryRequest,
  type RegistryResponse,
} from './request.js';
import { EnvelopeGuard } from './request-body.js';
import { splitAuthority } from './request-head.js';
import { targetOf } from './request-target.js';
import { type Guards, isPattern, Routes } from './routes.js';
import { createRegistryServer } from './server.js';
import { adaptExpressResponse, writeFile, writeValue } from './value-answer.js';

const ASSET_TEMPLATES = new Set(apiPaths('assets/:id').map((path) => `/${path}`));

const API_BEGINS = `those of the API begin with /${API_PREFIX}/`;

const EXACT_PATHS = { caseSensitive: true, strict: true };
type Registration = [template: string, handler: RequestHandler];
const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'search'] as const;
type Method = (typeof METHODS)[number];

/** Nest's adapter for Express, with the registry's server, its checks before routing, and its answers. */
export class RegistryAdapter extends ExpressAdapter {
  /** The paths and methods of the controllers; complete once the application is initialised. */
  readonly routes = new Routes();
  private readonly middlewares: Middleware[] = [];
  /** Literal paths are matched before patterns, so that the order of the modules does not matter: `search` is not an id. */
  private readonly literal = express.Router(EXACT_PATHS);
  private readonly patterns = express.Router(EXACT_PATHS);

  constructor() {
    super(exactExpress());
  }

  override initHttpServer(): void {
    const app = this.getInstance<express.Express>();
    this.httpServer = createRegistryServer((incoming, response) => {
      const request = incoming as RegistryRequest;
      request.arrivedMs = performance.now();
      request.idleMs = 0;
      // Express skips all middlewares for a target that it cannot parse, such as a whole URL.
      splitAuthority(request);
      app(request as never, response as never);
    });
  }

  /** Adds a middleware for every request, before routing and in the order of the calls. */
  addMiddleware(middleware: Middleware): void {
    this.middlewares.push(middleware);
  }

  /**
   * Adds one Express middleware for those of `addMiddleware`, admission control and JSON bodies, in this order. One for all, because each middleware of Express costs
   * microseconds.
   */
  useAdmission(admission: AdmissionMiddleware, readJsonBody: BodyMiddleware): void {
    this.use((request: RegistryRequest, response: RegistryResponse, next: () => void) => {
      for (const middleware of this.middlewares) middleware(request, response);
      admission(request, response, this.wantsBody(request) ? () => void readJsonBody(request, response, next) : next);
    });
  }

  /** Called by Nest after all middleware and routes were registered, so that routes follow the middleware and the 404 is last. */
  override setNotFoundHandler(): void {
    this.use((request: RegistryRequest, response: RegistryResponse, next: () => void) => {
      const { method } = request;
      const { path } = targetOf(request);
      const template = this.routes.templateOf(method, path);
      const isServed =
        template !== undefined && (method !== 'OPTIONS' || this.routes.guardsOf(method, path) !== undefined);
      const methods = isServed ? undefined : this.routes.methodsAt(path);
      if (isServed) this.routerOf(template)(request as never, response as never, next);
      else if (methods === undefined) next();
      else if (method === 'OPTIONS') writeAnswer(response, optionsAnswer(methods));
      else throw actionNotFound(allowHeader(methods), this.helpFor(method, path));
    });
    this.use(({ url }: RegistryRequest) => {
      throw actionNotFound(undefined, url.startsWith('/api/') ? undefined : API_BEGINS);
    });
  }

  override get(...route: unknown[]): unknown {
    return this.register('get', route as Registration);
  }

  override head(...route: unknown[]): unknown {
    return this.register('head', route as Registration);
  }

  override post(...route: unknown[]): unknown {
    return this.register('post', route as Registration);
  }

  override put(...route: unknown[]): unknown {
    return this.register('put', route as Registration);
  }

  override patch(...route: unknown[]): unknown {
    return this.register('patch', route as Registration);
  }

  override delete(...route: unknown[]): unknown {
    return this.register('delete', route as Registration);
  }

  override options(...route: unknown[]): unknown {
    return this.register('options', route as Registration);
  }

  override search(...route: unknown[]): unknown {
    return this.register('search', route as Registration);
  }

  override all(...route: unknown[]): void {
    for (const method of METHODS) this.register(method, route as Registration);
  }

  /** @throws Error if `body` cannot be sent; ApiErrorFilter answers it */
  override reply(response: RegistryResponse, body: unknown, status?: number): void | Promise<void> {
    if (body instanceof Answer) writeAnswer(response, body);
    else if (body instanceof PageAnswer) writePage(response, body);
    else if (body instanceof StreamedAnswer) streamAnswer(response, body);
    else if (body instanceof EventStreamAnswer) openStream(response, body);
    else {
      if (status !== undefined) response.statusCode = status;
      if (body instanceof StreamableFile) return writeFile(response, body);
      // Don't send it as a value: its members may come from another service.
      if (body instanceof Error) throw body;
      writeValue(response, body ?? undefined);
    }
    return undefined;
  }

  private register(method: Method, [template, handler]: Registration): unknown {
    const guards = Reflect.getMetadata(GUARDS_METADATA, handler) as Guards | undefined;
    this.routes.add(method.toUpperCase(), template, guards);
    return this.routerOf(template)[method](template, handler);
  }

  /** Whether a request is a write whose handler does not read the body with EnvelopeGuard. */
  private wantsBody(request: RegistryRequest): boolean {
    if (!isWrite(request)) return false;
    const guards = this.routes.guardsOf(request.method, targetOf(request).path);
    return guards !== undefined && !guards.includes(EnvelopeGuard);
  }

  private routerOf(template: string): express.Router {
    return isPattern(template) ? this.patterns : this.literal;
  }

  /** A hint for clients that try DELETE: assets are deleted by their status, so that copies learn of it. */
  private helpFor(method: string, path: string): string | undefined {
    const isDeletion = method === 'DELETE' && ASSET_TEMPLATES.has(this.routes.templateOf('PATCH', path) ?? '');
    return isDeletion ? 'its owner deletes an asset with PATCH and {"data": {"status": "deleted"}}' : undefined;
  }
}

/** Express with exact path matching, which adds nothing to answers. */
function exactExpress(): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('env', 'production');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  adaptExpressResponse(app);
  return app;
}
