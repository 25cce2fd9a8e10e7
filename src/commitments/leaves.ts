import { SERVICE_FIELDS } from '../asset-types/service-fields.js';

/** Where a value stands in an asset. Assets have the same places again and again: what is made of a pointer is made once. */
class Place {
  private json: string | undefined;
  private readonly below = new Map<string, Place>();

  /** @param pointer RFC 6901 */
  constructor(readonly pointer: string) {}

  /** The pointer as JSON text. */
  get text(): string {
    return (this.json ??= JSON.stringify(this.pointer));
  }

  /** The place of a member or an item. @param name of the member, or the item's number from 0; not escaped */
  to(name: string): Place {
    const known = this.below.get(name);
    if (known !== undefined) return known;
    const place = new Place(`${this.pointer}/${escaped(name)}`);
    if (kept < MOST_KEPT) {
      this.below.set(name, place);
      kept++;
    }
    return place;
  }
}

/** A value of a JSON text that has no members or items. */
export interface Leaf {
  /** Where it stands (RFC 6901). */
  pointer: string;
  /** The JSON texts of the pointer and of the value (RFC 8785), one behind the other. */
  text: string;
}

/** A value, and where it stands. */
interface At {
  value: unknown;
  place: Place;
}

/** Lists may be long. */
const MOST_KEPT = 8_192;
const ROOT = new Place('');
let kept = 0;

/**
 * More than the pointers of an asset take, in characters: it has a megabyte at most, and its names are short. Of a body that somebody has made
 * deep and wide they would take thousands of times as much as it does.
 */
const MOST_POINTERS = 64 * 1024 * 1024;

/**
 * The leaves of a printed asset, in the order of their pointers: what may be erased of it.
 * @throws RangeError where it is none that a registry takes
 */
export function committedLeaves(asset: Readonly<Record<string, unknown>>): Leaf[] {
  const leaves: Leaf[] = [];
  const left: At[] = [];
  let characters = 0;
  for (const name of Object.keys(asset))
    if (!SERVICE_FIELDS.has(name)) left.push({ value: asset[name], place: ROOT.to(name) });
  // By itself, and not by calls: somebody may have made a state deeper than the stack.
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const { value, place } = at;
    const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    if (names.length === 0) {
      characters += place.pointer.length;
      if (characters > MOST_POINTERS)
        throw new RangeError('The pointers of this state are longer than those of any asset');
      leaves.push({ pointer: place.pointer, text: place.text + JSON.stringify(value) });
    }
    for (const name of names) left.push({ value: (value as Record<string, unknown>)[name], place: place.to(name) });
  }
  return leaves.sort((one, other) => (one.pointer < other.pointer ? -1 : 1));
}

/** The names in a pointer (RFC 6901), without its escapes; none of the empty pointer. */
export function pointerParts(pointer: string): string[] {
  const parts = pointer.split('/').slice(1);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Whether a leaf is what one of some pointers names, or a part of it. */
export function isWithinAny(leaf: string, pointers: ReadonlySet<string>): boolean {
  for (let end = leaf.length; end > 0; end = leaf.lastIndexOf('/', end - 1))
    if (pointers.has(leaf.slice(0, end))) return true;
  return false;
}

/** A name as a part of a pointer: `~` and `/` are escaped (RFC 6901). */
export function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
