import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import { actionNotFound } from '../errors/errors.js';
import { allowed, allowing } from './allow.js';
import { apiPaths } from './api-paths.js';
import { Answer, openStream, PageAnswer, StreamedAnswer, streamAnswer, writeAnswer, writePage } from './answer.js';
import { EventStreamAnswer } from './event-stream.js';
import type { RegistryRequest, RegistryResponse, Step, Gate } from './exchange.js';
import { splitAuthority, targetOf } from './request-head.js';
import { createRegistryServer } from './server.js';

const ASSET_TEMPLATES = new Set(apiPaths('assets/:id').map((path) => `/${path}`));

type ErrorHandler = (error: unknown, request: RegistryRequest, response: RegistryResponse, next: () => void) => void;

/**
 * Nest's HTTP adapter. Every request takes the same steps. Then the registry's own routes are looked up here, because Express takes longer
 * for that than the rest of a read takes (decision 21). Other paths are left to Express, which is configured to take paths literally and to
 * add nothing to answers.
 */
export class RegistryAdapter extends ExpressAdapter {
  private readonly steps: Step[] = [];
  private gate: Gate = (_request, _response, enter) => enter();
  private readonly routes = new Routes();
  private answerError: ErrorHandler | undefined;

  constructor() {
    super(quietExpress());
  }

  override initHttpServer(): void {
    this.httpServer = createRegistryServer((request, response) => this.take(request, response));
  }

  /** Adds a step that every request takes before its route is looked up. Steps run in the order in which they were added. */
  before(step: Step): void {
    this.steps.push(step);
  }

  /** @param path well-formed, without query @returns the template of the route that takes it, such as `/api/0.1/assets/:id` */
  templateOf(method: string, path: string): string | undefined {
    return this.routes.find(method, path)?.template;
  }

  /** What stands between the steps and the route. */
  letInBy(gate: Gate): void {
    this.gate = gate;
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
    else if (body instanceof EventStreamAnswer) openStream(response, body);
    else throw new TypeError('A handler returns an Answer');
  }

  private register(method: string, registration: unknown[]): void {
    const [template, handle] = registration as [string, Handler];
    if (this.routes.add(method, template, handle)) return;
    const app = this.getInstance<express.Express>();
    app[method.toLowerCase() as 'get'](template, handle as never);
  }

  private take(request: RegistryRequest, response: RegistryResponse): void {
    // Not left to Express, which skips middleware for a request target that it cannot parse.
    splitAuthority(request);
    try {
      for (const step of this.steps) step(request, response);
      this.gate(request, response, () => this.enter(request, response));
    } catch (error) {
      this.answerError?.(error, request, response, nothing);
    }
  }

  /** The gate may call this later, from other code, which must not get its errors. */
  private enter(request: RegistryRequest, response: RegistryResponse): void {
    try {
      this.route(request, response);
    } catch (error) {
      this.answerError?.(error, request, response, nothing);
    }
  }

  /** What else to do where a client deletes an asset: there is no DELETE, as copies learn of it by its status. */
  private helpFor(method: string, path: string): string | undefined {
    const isDeletion = method === 'DELETE' && ASSET_TEMPLATES.has(this.templateOf('PATCH', path) ?? '');
    return isDeletion ? 'its owner deletes an asset with PATCH and {"data": {"status": "deleted"}}' : undefined;
  }

  private route(request: RegistryRequest, response: RegistryResponse): void {
    const { path } = targetOf(request);
    const found = this.routes.find(request.method, path);
    if (found === undefined) {
      const methods = this.routes.allowedAt(path);
      if (methods !== undefined) throw actionNotFound(methods, this.helpFor(request.method, path));
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

/** What Nest makes of a controller's method: guards, pipes, the method itself and the filter. */
export type Handler = (request: RegistryRequest, response: RegistryResponse, next: () => void) => unknown;

interface Found {
  handle: Handler;
  /** Such as `/api/0.1/assets/:id`. */
  template: string;
  params: Record<string, string>;
}

/** What one template names. */
interface Resource {
  template: string;
  path: RegExp;
  /** What answers each method, HEAD and OPTIONS among them. */
  handlers: Map<string, Handler>;
}

/** The root, or literal segments and whole ones that are parameters, the last of which may be all that is left; else it is for Express. */
const SIMPLE = /^(?:\/|(?:\/(?:[\w.-]+|:\w+))+(?:\/\*\w+)?)$/;

/**
 * The registry's few routes, looked up without a router's generality, which would cost more than all the rest of a read (decision 21).
 * Paths are compared as they came: no case is folded, no slash forgiven, and nothing decoded but the values of parameters.
 */
export class Routes {
  private readonly literal = new Map<string, Resource>();
  private readonly patterns: Resource[] = [];

  /** HEAD comes with GET, and OPTIONS with any method. @returns false for a template of another kind */
  add(method: string, template: string, handle: Handler): boolean {
    if (!SIMPLE.test(template)) return false;
    const { handlers } = this.resourceOf(template);
    handlers.set(method, handle);
    if (method === 'GET') handlers.set('HEAD', handle);
    return true;
  }

  /** @param path well-formed, without query */
  find(method: string, path: string): Found | undefined {
    const literal = this.literal.get(path);
    if (literal !== undefined) {
      // No pattern stands in for it: `search` is no id, whatever the method.
      const handle = literal.handlers.get(method);
      return handle && { handle, template: path, params: {} };
    }
    for (const resource of this.patterns) {
      const taken = resource.handlers.get(method);
      if (taken === undefined) continue;
      const groups = resource.path.exec(path)?.groups;
      if (groups !== undefined) return { handle: taken, template: resource.template, params: decoded(groups) };
    }
    return undefined;
  }

  /** The methods of a path, as Allow tells them; undefined where it has none. */
  allowedAt(path: string): string | undefined {
    const resource = this.literal.get(path) ?? this.patterns.find((pattern) => pattern.path.test(path));
    return resource && allowed(resource.handlers.keys());
  }

  private resourceOf(template: string): Resource {
    const known = this.literal.get(template) ?? this.patterns.find((resource) => resource.template === template);
    if (known !== undefined) return known;
    const handlers = new Map<string, Handler>();
    handlers.set('OPTIONS', (_, response) => writeAnswer(response, allowing(handlers.keys())));
    const resource = { template, path: patternOf(template), handlers };
    if (/[:*]/.test(template)) this.patterns.push(resource);
    else this.literal.set(template, resource);
    return resource;
  }
}

function patternOf(template: string): RegExp {
  const source = template
    .replaceAll('.', '\\.')
    .replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')
    .replace(/\*(\w+)$/, '(?<$1>.+)');
  return new RegExp(`^${source}$`);
}

function decoded(params: Record<string, string>): Record<string, string> {
  for (const name of Object.keys(params)) params[name] = decodeURIComponent(params[name] as string);
  return params;
}
