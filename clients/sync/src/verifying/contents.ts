import type { Content, Copy, Range } from '../copies/copy.js';

/** Rows that are held at once: each may be of a megabyte. */
const AT_ONCE = 100;

/** What a range holds: a registry may say that its next entry is of the year 2099, and then that is all of the copy. */
export async function* contentsIn(
  copy: Pick<Copy, 'contents' | 'feedUsAt'>,
  { afterUs, upToUs }: Range,
): AsyncGenerator<{ range: Range; rows: Content[] }> {
  for (let fromUs = afterUs; fromUs < upToUs;) {
    const endUs = (await copy.feedUsAt({ afterUs: fromUs, upToUs }, AT_ONCE - 1)) ?? upToUs;
    const range = { afterUs: fromUs, upToUs: endUs };
    yield { range, rows: await copy.contents(range) };
    fromUs = endUs;
  }
}
