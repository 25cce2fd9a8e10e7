import { allowed, allowing } from './allow.js';
import { writeAnswer } from './answer.js';
import type { RegistryRequest, RegistryResponse } from './exchange.js';

/** What Nest makes of a controller's method: guards, pipes, the method itself and the filter. */
export type Handler = (request: RegistryRequest, response: RegistryResponse, next: () => void) => unknown;

export interface Found {
  handle: Handler;
  /** Such as `/api/0.1/assets/:id`. */
  template: string;
  params: Record<string, string>;
}

/** What one template names. */
interface Resource {
  template: string;
  path: RegExp;
  /** By method, HEAD and OPTIONS among them. */
  handlers: Map<string, Handler>;
}

/** The root, or literal segments and whole ones that are parameters; anything else (a wildcard) is for Express. */
const SIMPLE = /^(?:\/|(?:\/(?:[\w.-]+|:\w+))+)$/;

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
    const handle = this.literal.get(path)?.handlers.get(method);
    if (handle !== undefined) return { handle, template: path, params: {} };
    for (const resource of this.patterns) {
      const taken = resource.handlers.get(method);
      if (taken === undefined) continue;
      const match = resource.path.exec(path);
      if (match !== null) return { handle: taken, template: resource.template, params: decoded(match.groups ?? {}) };
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
    if (template.includes(':')) this.patterns.push(resource);
    else this.literal.set(template, resource);
    return resource;
  }
}

function patternOf(template: string): RegExp {
  const source = template.replaceAll('.', '\\.').replaceAll(/:(\w+)/g, '(?<$1>[^/]+)');
  return new RegExp(`^${source}$`);
}

function decoded(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]));
}
