/*
 * The map of `registry import --map FILE`: fields of the other registry to rename or omit, and values to replace.
 */

type JsonObject = Record<string, unknown>;

interface MapFile {
  /** New paths by old path; null omits the field. Names in a path are separated by dots. */
  fields: Readonly<Record<string, string | null>>;
  /** New values by old value, by path; null omits the field. */
  values: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const SHAPE =
  'A map is a JSON object with "fields" ({"path": "new path", or null to omit it}) and "values" ({"path": {"value": new value, or null}})';

/** Renames, replaces and omits fields. A path applies to every member of a list. */
export class ImportMap {
  static readonly NONE = new ImportMap({ fields: {}, values: {} });

  private constructor(private readonly map: MapFile) {}

  /** @throws Error with a sentence for the operator */
  static parse(text: string): ImportMap {
    const { fields = {}, values = {}, ...others } = parsed(text);
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw new Error(`${SHAPE}; it has "${unknown}"`);
    if (!isObject(fields) || !isObject(values) || !Object.values(values).every(isObject)) throw new Error(SHAPE);
    if (!Object.values(fields).every((path) => path === null || (typeof path === 'string' && path !== '')))
      throw new Error(SHAPE);
    return new ImportMap({ fields, values } as unknown as MapFile);
  }

  /** Changes an asset in place. @returns the paths that changed it */
  apply(asset: JsonObject): string[] {
    const values = Object.entries(this.map.values).filter(([path, by]) => visit(asset, path.split('.'), replaceBy(by)));
    const fields = Object.entries(this.map.fields).filter(([path, to]) =>
      to === null ? visit(asset, path.split('.'), omit) : move(asset, path.split('.'), to.split('.')),
    );
    return [...values, ...fields].map(([path]) => path);
  }
}

/** @returns whether it changed the field */
type Work = (holder: JsonObject, name: string) => boolean;

/** Calls `work` for each field at a path. @returns whether one was changed */
function visit(value: unknown, path: readonly string[], work: Work): boolean {
  if (Array.isArray(value)) return value.map((member) => visit(member, path, work)).includes(true);
  const [name, ...rest] = path;
  if (!isObject(value) || name === undefined || !Object.hasOwn(value, name)) return false;
  if (rest.length > 0) return visit(value[name], rest, work);
  return work(value, name);
}

function omit(holder: JsonObject, name: string): boolean {
  return delete holder[name];
}

function replaceBy(by: Readonly<Record<string, unknown>>): Work {
  return (holder, name) => {
    const value = String(holder[name]);
    if (!Object.hasOwn(by, value)) return false;
    if (by[value] === null) return omit(holder, name);
    holder[name] = by[value];
    return true;
  };
}

/** Renames a field, inside each object that both paths lead to. @returns whether there was one */
function move(value: unknown, path: readonly string[], to: readonly string[]): boolean {
  if (Array.isArray(value)) return value.map((member) => move(member, path, to)).includes(true);
  const [[name = '', ...rest], [newName, ...newRest]] = [path, to];
  if (name === newName && rest.length > 0 && newRest.length > 0)
    return isObject(value) && Object.hasOwn(value, name) && move(value[name], rest, newRest);
  let moved: unknown;
  const isFound = visit(value, path, (holder, last) => {
    moved ??= holder[last];
    return omit(holder, last);
  });
  if (isFound) put(value, to, moved);
  return isFound;
}

/** Sets a field at a path, in every member of a list, and creates the objects on the way. */
function put(value: unknown, [name = '', ...rest]: readonly string[], field: unknown): void {
  if (Array.isArray(value)) for (const member of value) put(member, [name, ...rest], field);
  if (!isObject(value)) return;
  if (rest.length === 0) value[name] = field;
  else {
    if (!isObject(value[name]) && !Array.isArray(value[name])) value[name] = {};
    put(value[name], rest, field);
  }
}

function parsed(text: string): JsonObject {
  try {
    const map: unknown = JSON.parse(text);
    if (isObject(map)) return map;
  } catch {
    // Reported below.
  }
  throw new Error(SHAPE);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
