import type { JsonObject } from '../support/assets.js';
import type { Random } from '../support/random.js';
import { NAMES, TEXTS, VALUES } from './words.js';

const MARK = '@@';

/** A body's JSON text with some of its members replaced, removed, added or repeated, at any depth. */
export function mutateBody(body: JsonObject, random: Random): string {
  const copy = structuredClone(body);
  const written: string[] = [];
  for (let i = random.int(1, 3); i > 0; i--) mutateMember(copy, random, written);
  let text = JSON.stringify(copy);
  for (const [i, value] of written.entries()) text = text.replace(`"${MARK}${i}"`, () => value);
  if (random.chance(0.05)) text = repeatMember(text, random);
  return random.chance(0.08) ? mutateText(text, random) : text;
}

function mutateMember(root: JsonObject, random: Random, written: string[]): void {
  const parent = random.pick(objectsIn(root));
  const names = Object.keys(parent);
  const name = names.length > 0 && random.chance(0.7) ? random.pick(names) : random.pick(NAMES);
  if (random.chance(0.2)) {
    delete parent[name];
    return;
  }
  // Assigning to `__proto__` would not make a member.
  Object.defineProperty(parent, name, {
    value: newValue(random, written),
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function newValue(random: Random, written: string[]): unknown {
  if (random.chance(0.5)) return random.pick(TEXTS);
  written.push(random.pick(VALUES));
  return `${MARK}${written.length - 1}`;
}

function objectsIn(root: JsonObject): JsonObject[] {
  const nested = Object.values(root).filter(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  );
  return [root, ...nested.flatMap((value) => objectsIn(value as JsonObject))];
}

function repeatMember(text: string, random: Random): string {
  const members = [...text.matchAll(/"\w+":(?:"[^"\\]*"|\d+)/g)];
  if (members.length === 0) return text;
  const { 0: member, index } = random.pick(members);
  return `${text.slice(0, index)}${member},${text.slice(index)}`;
}

/** The same text cut, doubled, wrapped, or with another character somewhere. */
function mutateText(text: string, random: Random): string {
  const at = random.int(0, text.length);
  return random.pick([
    () => text.slice(0, at),
    () =>
      text.slice(0, at) +
      random.pick(['{', '}', '"', ',', '[', '\\', '\u0000', '\\u12', '//', "'", ' ']) +
      text.slice(at),
    () => text + text,
    () => `[${text}]`,
    () => `\ufeff${text}`,
    () => JSON.stringify(text),
    () => random.pick(VALUES),
    () => '',
  ])();
}

/** Bytes with a few of them changed, taken out, put in or doubled. */
export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  let mutated = bytes;
  for (let i = random.int(1, 4); i > 0; i--) {
    // The head is where it matters most.
    const at = random.int(0, Math.min(mutated.length, random.chance(0.7) ? 300 : mutated.length));
    const length = random.int(0, 8);
    const [before, part, after] = [
      mutated.subarray(0, at),
      mutated.subarray(at, at + length),
      mutated.subarray(at + length),
    ];
    const inserted = Buffer.from(Array.from({ length: random.int(1, 4) }, () => random.pick(BYTES)));
    mutated = random.pick([
      () => Buffer.concat([before, inserted, part, after]),
      () => Buffer.concat([before, after]),
      () => Buffer.concat([before, part, part, after]),
      () => Buffer.concat([before, inserted, after]),
    ])();
  }
  return mutated;
}

const BYTES = [
  0, 1, 9, 10, 13, 32, 34, 37, 38, 43, 44, 45, 47, 48, 49, 57, 58, 59, 61, 63, 65, 92, 97, 123, 125, 127, 128, 0xc3,
  0xff,
];
