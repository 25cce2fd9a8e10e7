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
    const fields = Object.entries(this.map.fields).filter(([path, to]) => this.move(asset, path, to));
    return [...values, ...fields].map(([path]) => path);
  }

  private move(asset: JsonObject, path: string, to: string | null): boolean {
    let moved: unknown;
    const found = visit(asset, path.split('.'), (holder, name) => {
      moved ??= holder[name];
      return delete holder[name];
    });
    if (found && to !== null) put(asset, to.split('.'), moved);
    return found;
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

function replaceBy(by: Readonly<Record<string, unknown>>): Work {
  return (holder, name) => {
    const value = String(holder[name]);
    if (!Object.hasOwn(by, value)) return false;
    if (by[value] === null) return delete holder[name];
    holder[name] = by[value];
    return true;
  };
}

/** Sets a value at a path, and creates the objects on the way. */
function put(asset: JsonObject, path: readonly string[], value: unknown): void {
  const holder = path.slice(0, -1).reduce((object, name) => {
    if (!isObject(object[name])) object[name] = {};
    return object[name] as JsonObject;
  }, asset);
  holder[path.at(-1) as string] = value;
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
