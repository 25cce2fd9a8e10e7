import type { RegistryRequest, RegistryResponse } from './exchange.js';

/** What Nest makes of a controller's method: guards, pipes, the method itself and the filter. */
export type Handler = (request: RegistryRequest, response: RegistryResponse, next: () => void) => unknown;

export interface Route {
  template: string;
  handle: Handler;
}

export interface Found {
  route: Route;
  params: Record<string, string>;
}

interface Pattern {
  method: string;
  path: RegExp;
  route: Route;
}

/** The root, or literal segments and whole ones that are parameters; anything else (a wildcard) is for Express. */
const SIMPLE = /^(?:\/|(?:\/(?:[\w.-]+|:\w+))+)$/;

/**
 * The registry's few routes, looked up without a router's generality, which would cost more than all the rest of a read (decision 21).
 * Paths are compared as they came: no case is folded, no slash forgiven, and nothing decoded but the values of parameters.
 */
export class Routes {
  private readonly literal = new Map<string, Route>();
  private readonly patterns: Pattern[] = [];

  /** @returns false for a template of another kind */
  add(method: string, template: string, handle: Handler): boolean {
    if (!SIMPLE.test(template)) return false;
    const route = { template, handle };
    if (!template.includes(':')) this.literal.set(`${method} ${template}`, route);
    else this.patterns.push({ method, path: patternOf(template), route });
    return true;
  }

  /** The route of a method and path; HEAD is taken by the route of GET. @param path well-formed, without query */
  find(method: string, path: string): Found | undefined {
    const asked = method === 'HEAD' ? 'GET' : method;
    const route = this.literal.get(`${asked} ${path}`);
    if (route !== undefined) return { route, params: {} };
    for (const pattern of this.patterns) {
      if (pattern.method !== asked) continue;
      const match = pattern.path.exec(path);
      if (match !== null) return { route: pattern.route, params: decoded(match.groups ?? {}) };
    }
    return undefined;
  }
}

function patternOf(template: string): RegExp {
  const source = template.replaceAll('.', '\\.').replaceAll(/:(\w+)/g, '(?<$1>[^/]+)');
  return new RegExp(`^${source}$`);
}

function decoded(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]));
}
