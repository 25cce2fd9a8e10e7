import { escaped, pointerParts } from '#tlog';
import { SERVICE_FIELDS } from '../../asset-types/service-fields.js';
import { type Redacted, redactedOf } from '../../feed/reading/asset-view.js';

type JsonObject = Record<string, unknown>;

/** ES2026, available in every supported Node but not yet in TypeScript's types. */
interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { source: string }) => unknown): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}

interface FoundField {
  pointer: string;
  parent: JsonObject;
  name: string;
}

const EXACT = JSON as unknown as ExactJson;
const POINTER = /^(?:\/(?:[^/~]|~[01])*)+$/;
const ANY_ITEM = '*';

/** A stored state is no JSON object, so it was changed directly in the database. */
export class ForgedBodyError extends Error {}

/** @throws Error with a sentence unless it is a pointer to a field that brokers write */
export function checkPointer(pointer: string): void {
  if (!POINTER.test(pointer))
    throw new Error(`${JSON.stringify(pointer)} is no JSON pointer (RFC 6901), such as /assetCustodian/contactPoint`);
  const [first = ''] = pointerParts(pointer);
  if (SERVICE_FIELDS.has(first)) throw new Error(`${first} is set by the registry itself and cannot be erased`);
}

/** The fields of one state without those that were selected for erasure. The others keep their bytes, numbers included. */
export class OpenedBody {
  /** Removed fields, without `*`. */
  readonly pointers: readonly string[];
  /** Texts in the removed fields. */
  readonly texts: readonly string[];
  private readonly fields: JsonObject;

  /** @param before JSON text of an object @throws ForgedBodyError if it is not, Error if a pointer leads to an item of a list */
  constructor(
    readonly before: string,
    wanted: readonly string[],
  ) {
    this.fields = parseExactly(before);
    const found: FoundField[] = [];
    for (const pointer of wanted) collectFound(this.fields, pointerParts(pointer), '', found);
    this.pointers = [...new Set(found.map(({ pointer }) => pointer))];
    this.texts = found.flatMap(({ parent, name }) => textsIn(parent[name]).map(({ text }) => text));
    for (const { parent, name } of found) delete parent[name];
  }

  remainingTexts(): { pointer: string; text: string }[] {
    const { redacted: _, ...others } = this.fields;
    return textsIn(others);
  }

  /** Prints the remaining fields as JSON. @param added entries for `redacted`; without any, returns the original text */
  print(added: readonly Redacted[]): string {
    if (added.length === 0) return this.before;
    // `redacted` stays the last member.
    return JSON.stringify({ ...this.fields, redacted: [...redactedOf(this.fields), ...added] });
  }
}

/** Keeps numbers as written, because JSON.stringify prints 100.0 as 100. @throws ForgedBodyError */
function parseExactly(body: string): JsonObject {
  let value: unknown;
  try {
    value = EXACT.parse(body, (_, one, { source }) => (typeof one === 'number' ? EXACT.rawJSON(source) : one));
  } catch (error) {
    throw forgedBody(error);
  }
  if (!isObject(value)) throw forgedBody();
  return value;
}

function forgedBody(cause?: unknown): ForgedBodyError {
  const message =
    'The current state of the asset is no JSON object: it was changed directly in the database. Restore it, then erase';
  return new ForgedBodyError(`${message}; nothing was changed`, { cause });
}

function collectFound(value: unknown, [part = '', ...rest]: readonly string[], at: string, found: FoundField[]): void {
  if (Array.isArray(value)) {
    const indexes = [...value.keys()].filter((index) => part === ANY_ITEM || part === String(index));
    if (rest.length === 0 && indexes.length > 0)
      throw new Error(`${at}/${part} is an item of a list: only members of objects are erased, such as ${at}/*/name`);
    for (const index of indexes) collectFound(value[index], rest, `${at}/${index}`, found);
  } else if (isObject(value) && Object.hasOwn(value, part)) {
    const pointer = `${at}/${escaped(part)}`;
    if (rest.length === 0) found.push({ pointer, parent: value, name: part });
    else collectFound(value[part], rest, pointer, found);
  }
}

function textsIn(value: unknown, pointer = ''): { pointer: string; text: string }[] {
  if (typeof value === 'string') return [{ pointer, text: value }];
  if (!Array.isArray(value) && !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => textsIn(member, `${pointer}/${escaped(name)}`));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !EXACT.isRawJSON(value);
}
