import type { Content, Copy, Range } from '../copies/copy.js';

/** Rows in memory at once: each may be of a megabyte. */
const AT_ONCE = 100;

/** The contents of a range, in chunks: if a registry's next entry is of the year 2099, the range is the whole copy. */
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
