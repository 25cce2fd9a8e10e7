import { pathToRegexp } from 'path-to-regexp';

/** The guards that a handler itself names, not those of its controller. */
export type Guards = readonly unknown[];

/** One path template and its methods. */
interface Resource {
  template: string;
  path: RegExp;
  /** The guards of each method's handler; undefined for a method that is answered without one. */
  methods: Map<string, Guards | undefined>;
}

/**
 * The root, or literal segments and parameters of a whole segment, with a wildcard perhaps at the end. The registry itself has only these, and
 * matching them without groups is faster than the library's expression.
 */
const SIMPLE = /^(?:\/|(?:\/(?:[\w.-]+|:\w+))+(?:\/\*\w+)?)$/;

/**
 * The methods and paths that the controllers serve. Express finds the handler; checks before routing look up here which route a request will
 * take, and which methods a path allows. Paths match exactly: case and a trailing slash count.
 */
export class Routes {
  private readonly literal = new Map<string, Resource>();
  private readonly patterns: Resource[] = [];

  /** GET adds HEAD, and any method adds OPTIONS. @throws TypeError for a template that Express does not accept */
  add(method: string, template: string, guards: Guards = []): void {
    const { methods } = this.resourceOf(template);
    methods.set(method, guards);
    if (method === 'GET' && !methods.has('HEAD')) methods.set('HEAD', guards);
  }

  /** @returns the guards of the handler that serves a method at a path; undefined without such a handler */
  guardsOf(method: string, path: string): Guards | undefined {
    return this.resourceAt(method, path)?.methods.get(method);
  }

  /** @param path well-formed, without query @returns such as `/api/0.1/assets/:id`; undefined if nothing serves the method there */
  templateOf(method: string, path: string): string | undefined {
    return this.resourceAt(method, path)?.template;
  }

  /** The methods that are served at a path; undefined if there are none. */
  methodsAt(path: string): Iterable<string> | undefined {
    return (this.literal.get(path) ?? this.patterns.find((pattern) => pattern.path.test(path)))?.methods.keys();
  }

  private resourceAt(method: string, path: string): Resource | undefined {
    const literal = this.literal.get(path);
    // A literal such as `search` is never an id, whatever the method.
    if (literal !== undefined) return literal.methods.has(method) ? literal : undefined;
    return this.patterns.find((resource) => resource.methods.has(method) && resource.path.test(path));
  }

  private resourceOf(template: string): Resource {
    const known = this.literal.get(template) ?? this.patterns.find((resource) => resource.template === template);
    if (known !== undefined) return known;
    const methods: Resource['methods'] = new Map([['OPTIONS', undefined]]);
    const resource = { template, path: patternOf(template), methods };
    if (isPattern(template)) this.patterns.push(resource);
    else this.literal.set(template, resource);
    return resource;
  }
}

/** Whether a template has parameters or optional parts, so that it matches more than itself. */
export function isPattern(template: string): boolean {
  return /[:*{]/.test(template);
}

function patternOf(template: string): RegExp {
  if (!SIMPLE.test(template)) return pathToRegexp(template, { sensitive: true, trailing: false }).regexp;
  const source = template
    .replaceAll('.', '\\.')
    .replaceAll(/:\w+/g, '[^/]+')
    .replace(/\*\w+$/, '.+');
  return new RegExp(`^${source}$`);
}
