import { fold, keyOf, wordsIn } from './words.js';

/** What people write beside the name of a region, or leave out: `м. Київ` is Київ, `Київська обл.` is Київська область. */
const KINDS = new Set(['м', 'місто', 'обл', 'область', 'city', 'oblast', 'region']);

/** A key that all spellings of a region share. Empty where a name has neither letters nor digits. */
export function regionKey(name: string): string {
  const words = wordsIn(fold(name));
  const names = words.filter((word) => !KINDS.has(word));
  return keyOf((names.length > 0 ? names : words).join(' '));
}
