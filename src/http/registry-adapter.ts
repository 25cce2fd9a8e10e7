import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type RequestHandler } from 'express';
import { actionNotFound } from '../platform/errors/errors.js';
import { allowed, allowing } from './allow-header.js';
import { Answer, openStream, PageAnswer, StreamedAnswer, streamAnswer, writeAnswer, writePage } from './answer.js';
import { apiPaths } from './api-paths.js';
import { EventStreamAnswer } from './event-stream.js';
import type { Check, Gate, RegistryRequest, RegistryResponse } from './request.js';
import { splitAuthority } from './request-head.js';
import { targetOf } from './request-target.js';
import { Routes } from './routes.js';
import { createRegistryServer } from './server.js';

const ASSET_TEMPLATES = new Set(apiPaths('assets/:id').map((path) => `/${path}`));

const LITERALLY = { caseSensitive: true, strict: true };
type Registration = [template: string, handler: RequestHandler];

/** Nest's adapter for Express, with the registry's server, its checks before routing, and its answers. */
export class RegistryAdapter extends ExpressAdapter {
  /** The paths and methods of the controllers; complete once the application is initialised. */
  readonly routes = new Routes();
  private readonly checks: Check[] = [];
  /** Literal paths are matched before patterns, so that the order of the modules does not matter: `search` is not an id. */
  private readonly literal = express.Router(LITERALLY);
  private readonly patterns = express.Router(LITERALLY);

  constructor() {
    super(literalExpress());
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

  /** Adds a check that every request passes before its route is looked up, in the order in which they are added. */
  before(check: Check): void {
    this.checks.push(check);
  }

  /** Adds the middleware that makes the checks and then admits requests, now or later. One for all: each of Express's own costs microseconds. */
  admitBy(gate: Gate): void {
    this.use((request: RegistryRequest, response: RegistryResponse, next: () => void) => {
      for (const check of this.checks) check(request, response);
      gate(request, response, next);
    });
  }

  /** Adds the middleware that answers OPTIONS, refuses a method that a path does not have, and hands all else to its route; behind all others. */
  serveRoutes(): void {
    this.use((request: RegistryRequest, response: RegistryResponse, next: () => void) => {
      const { method } = request;
      const { path } = targetOf(request);
      const template = method === 'OPTIONS' ? undefined : this.routes.templateOf(method, path);
      const methods = template === undefined ? this.routes.methodsAt(path) : undefined;
      if (template !== undefined) this.routerOf(template)(request as never, response as never, next);
      else if (methods === undefined) next();
      else if (method === 'OPTIONS') writeAnswer(response, allowing(methods));
      else throw actionNotFound(allowed(methods), this.helpFor(method, path));
    });
  }

  override get(...route: unknown[]): unknown {
    return this.register('get', route as Registration);
  }

  override post(...route: unknown[]): unknown {
    return this.register('post', route as Registration);
  }

  override patch(...route: unknown[]): unknown {
    return this.register('patch', route as Registration);
  }

  override reply(response: RegistryResponse, body: unknown): void {
    if (body instanceof Answer) writeAnswer(response, body);
    else if (body instanceof PageAnswer) writePage(response, body);
    else if (body instanceof StreamedAnswer) streamAnswer(response, body);
    else if (body instanceof EventStreamAnswer) openStream(response, body);
    else throw new TypeError('A handler returns an Answer');
  }

  private register(method: 'get' | 'post' | 'patch', [template, handler]: Registration): unknown {
    this.routes.add(method.toUpperCase(), template);
    return this.routerOf(template)[method](template, handler);
  }

  private routerOf(template: string): express.Router {
    return /[:*]/.test(template) ? this.patterns : this.literal;
  }

  /** What else to do if a client deletes an asset: there is no DELETE, because copies learn of it by its status. */
  private helpFor(method: string, path: string): string | undefined {
    const isDeletion = method === 'DELETE' && ASSET_TEMPLATES.has(this.routes.templateOf('PATCH', path) ?? '');
    return isDeletion ? 'its owner deletes an asset with PATCH and {"data": {"status": "deleted"}}' : undefined;
  }
}

/** Express that takes paths literally and adds nothing to answers. */
function literalExpress(): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('env', 'production');
  app.set('query parser', false);
  app.enable('case sensitive routing');
  app.enable('strict routing');
  return app;
}
