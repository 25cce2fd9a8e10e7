/** What one template names. */
interface Resource {
  template: string;
  path: RegExp;
  methods: Set<string>;
}

/** The root, or literal segments and whole ones that are parameters, the last of which may be all that is left. */
const TEMPLATE = /^(?:\/|(?:\/(?:[\w.-]+|:\w+))+(?:\/\*\w+)?)$/;

/**
 * Which methods and paths the controllers serve. Express finds the handler; this says beforehand what a request asks for, for checks that
 * come before routing, and what a path allows. Paths are compared as they came: case counts, and so does a slash at the end.
 */
export class Routes {
  private readonly literal = new Map<string, Resource>();
  private readonly patterns: Resource[] = [];

  /** HEAD comes with GET, and OPTIONS with any method. @throws Error for a template of another kind */
  add(method: string, template: string): void {
    if (!TEMPLATE.test(template)) throw new Error(`The path ${template} is of a kind that Routes does not know`);
    const { methods } = this.resourceOf(template);
    methods.add(method);
    if (method === 'GET') methods.add('HEAD');
  }

  /** @param path well-formed, without query @returns such as `/api/0.1/assets/:id`; undefined if nothing serves the method there */
  templateOf(method: string, path: string): string | undefined {
    const literal = this.literal.get(path);
    // `search` is no id, whatever the method.
    if (literal !== undefined) return literal.methods.has(method) ? path : undefined;
    return this.patterns.find((resource) => resource.methods.has(method) && resource.path.test(path))?.template;
  }

  /** The methods that are served at a path; undefined if none is. */
  methodsAt(path: string): ReadonlySet<string> | undefined {
    return (this.literal.get(path) ?? this.patterns.find((pattern) => pattern.path.test(path)))?.methods;
  }

  private resourceOf(template: string): Resource {
    const known = this.literal.get(template) ?? this.patterns.find((resource) => resource.template === template);
    if (known !== undefined) return known;
    const resource = { template, path: patternOf(template), methods: new Set(['OPTIONS']) };
    if (/[:*]/.test(template)) this.patterns.push(resource);
    else this.literal.set(template, resource);
    return resource;
  }
}

function patternOf(template: string): RegExp {
  const source = template
    .replaceAll('.', '\\.')
    .replaceAll(/:\w+/g, '[^/]+')
    .replace(/\*\w+$/, '.+');
  return new RegExp(`^${source}$`);
}
