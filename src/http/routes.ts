import { pathToRegexp } from 'path-to-regexp';

/** The guards that a handler itself names, not those of its controller. */
export type Guards = readonly unknown[];

/** What one template names. */
interface Resource {
  template: string;
  path: RegExp;
  /** With the guards of each handler; undefined for a method that the registry answers without one. */
  methods: Map<string, Guards | undefined>;
}

/**
 * The root, or literal segments and whole ones that are parameters, the last of which may be all that is left. These are all that the
 * registry itself has, and an expression without groups finds them faster than that of the library.
 */
const SIMPLE = /^(?:\/|(?:\/(?:[\w.-]+|:\w+))+(?:\/\*\w+)?)$/;

/**
 * Which methods and paths the controllers serve. Express finds the handler; this says beforehand what a request asks for, for checks that
 * come before routing, and what a path allows. Paths are compared as they came: case counts, and so does a slash at the end.
 */
export class Routes {
  private readonly literal = new Map<string, Resource>();
  private readonly patterns: Resource[] = [];

  /** HEAD comes with GET, and OPTIONS with any method. @throws TypeError for a template that Express does not know */
  add(method: string, template: string, guards: Guards = []): void {
    const { methods } = this.resourceOf(template);
    methods.set(method, guards);
    if (method === 'GET' && !methods.has('HEAD')) methods.set('HEAD', guards);
  }

  /** @returns the guards of the handler that serves a method at a path; undefined where none does */
  guardsOf(method: string, path: string): Guards | undefined {
    return this.resourceAt(method, path)?.methods.get(method);
  }

  /** @param path well-formed, without query @returns such as `/api/0.1/assets/:id`; undefined if nothing serves the method there */
  templateOf(method: string, path: string): string | undefined {
    return this.resourceAt(method, path)?.template;
  }

  /** The methods that are served at a path; undefined if none is. */
  methodsAt(path: string): Iterable<string> | undefined {
    return (this.literal.get(path) ?? this.patterns.find((pattern) => pattern.path.test(path)))?.methods.keys();
  }

  private resourceAt(method: string, path: string): Resource | undefined {
    const literal = this.literal.get(path);
    // `search` is no id, whatever the method.
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
