import type { FieldFault } from '../../asset-types/fields-json.js';

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

interface MapResult {
  /** The paths that changed the asset. */
  paths: string[];
  faults: FieldFault[];
}

const TAKEN = 'The map renames another field to this one, and the asset has both; omit one of them by null';

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

  /** Changes an asset in place. */
  apply(asset: JsonObject): MapResult {
    const taken: string[] = [];
    const values = Object.entries(this.map.values).filter(([path, by]) => visit(asset, path.split('.'), replaceBy(by)));
    const fields = Object.entries(this.map.fields).filter(([path, to]) =>
      to === null
        ? visit(asset, path.split('.'), omit)
        : move(asset, path.split('.'), to.split('.'), () => taken.push(to)),
    );
    const paths = [...values, ...fields].map(([path]) => path);
    return { paths, faults: [...new Set(taken)].map((name) => ({ name, description: TAKEN })) };
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

function omit(holder: JsonObject, name: string): boolean {
  return delete holder[name];
}

/**
 * Moves a field, within each member of a list that both paths lead through.
 * @param onTaken called if there is a field at the new path already, which the moved one replaces
 * @returns whether it was found
 */
function move(
  object: JsonObject,
  [first = '', ...path]: readonly string[],
  [to = '', ...rest]: readonly string[],
  onTaken: () => void,
): boolean {
  if (first === to && path.length > 0 && rest.length > 0)
    return objectsIn(object[first])
      .map((inner) => move(inner, path, rest, onTaken))
      .includes(true);
  let moved: unknown;
  const found = visit(object, [first, ...path], (holder, name) => {
    moved ??= holder[name];
    return omit(holder, name);
  });
  if (found && visit(object, [to, ...rest], () => true)) onTaken();
  if (found) put(object, [to, ...rest], moved);
  return found;
}

/** Sets a value at a path, in every member of a list, and creates the objects on the way. */
function put(object: JsonObject, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    object[name] = value;
    return;
  }
  if (!Array.isArray(object[name]) && !isObject(object[name])) object[name] = {};
  for (const inner of objectsIn(object[name])) put(inner, rest, value);
}

/** @returns the object, or the objects of a list */
function objectsIn(value: unknown): JsonObject[] {
  return [value].flat().filter(isObject);
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
