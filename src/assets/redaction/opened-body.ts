import { escaped, pointerParts } from '#tlog';
import { SERVICE_FIELDS } from '../../asset-types/service-fields.js';
import { type Redacted, redactedOf } from '../../feed/reading/asset-view.js';

type JsonObject = Record<string, unknown>;

/** ES2026, and every Node that the registry runs on; TypeScript does not know it yet. */
interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { source: string }) => unknown): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}

interface Met {
  pointer: string;
  parent: JsonObject;
  name: string;
}

const EXACT = JSON as unknown as ExactJson;
const POINTER = /^(?:\/(?:[^/~]|~[01])*)+$/;
const ANY_ITEM = '*';

/** What is kept of a state is no JSON object: somebody has changed it in the database. */
export class ForgedBodyError extends Error {}

/** @throws Error with a sentence for what is no pointer to a field of the broker's */
export function checkPointer(pointer: string): void {
  if (!POINTER.test(pointer))
    throw new Error(`${JSON.stringify(pointer)} is no JSON pointer (RFC 6901), such as /assetCustodian/contactPoint`);
  const [first = ''] = pointerParts(pointer);
  if (SERVICE_FIELDS.has(first)) throw new Error(`${first} is set by the registry itself and cannot be erased`);
}

/** The fields of one state, out of which what pointers lead to is taken. All else keeps its bytes, numbers too. */
export class OpenedBody {
  /** What was taken out: pointers without `*`. */
  readonly pointers: readonly string[];
  readonly texts: readonly string[];
  private readonly fields: JsonObject;

  /** @param before JSON text of an object @throws ForgedBodyError where it is none, Error where a pointer leads to an item of a list */
  constructor(
    readonly before: string,
    wanted: readonly string[],
  ) {
    this.fields = parseExactly(before);
    const met: Met[] = [];
    for (const pointer of wanted) collectMet(this.fields, pointerParts(pointer), '', met);
    this.pointers = [...new Set(met.map(({ pointer }) => pointer))];
    this.texts = met.flatMap(({ parent, name }) => textsIn(parent[name]).map(({ text }) => text));
    for (const { parent, name } of met) delete parent[name];
  }

  left(): { pointer: string; text: string }[] {
    const { redacted: _, ...others } = this.fields;
    return textsIn(others);
  }

  /** The JSON text of what is left. @param told what else tells of erasures; without any it is the text as it was */
  print(told: readonly Redacted[]): string {
    if (told.length === 0) return this.before;
    // As the last member, where it was before.
    return JSON.stringify({ ...this.fields, redacted: [...redactedOf(this.fields), ...told] });
  }
}

/** Numbers stay as they were written: 100.0 is none that JSON.stringify would write. @throws ForgedBodyError */
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
    'The present state of the asset is no JSON object: somebody has changed it in the database. Put it back';
  return new ForgedBodyError(`${message} as it was, and erase then; nothing was changed`, { cause });
}

function collectMet(value: unknown, [part = '', ...rest]: readonly string[], at: string, met: Met[]): void {
  if (Array.isArray(value)) {
    const places = [...value.keys()].filter((place) => part === ANY_ITEM || part === String(place));
    if (rest.length === 0 && places.length > 0)
      throw new Error(`${at}/${part} is an item of a list: only members of objects are erased, such as ${at}/*/name`);
    for (const place of places) collectMet(value[place], rest, `${at}/${place}`, met);
  } else if (isObject(value) && Object.hasOwn(value, part)) {
    const pointer = `${at}/${escaped(part)}`;
    if (rest.length === 0) met.push({ pointer, parent: value, name: part });
    else collectMet(value[part], rest, pointer, met);
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
