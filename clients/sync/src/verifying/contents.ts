import type { Content, Copy, Range } from '../copies/copy.js';

/** A limit, because a row may have a megabyte. */
const MAX_ROWS_IN_MEMORY = 100;

/** The contents of a range, in chunks, because a range may be the whole copy. */
export async function* contentsIn(
  copy: Pick<Copy, 'contents' | 'feedUsAt'>,
  { afterUs, upToUs }: Range,
): AsyncGenerator<{ range: Range; rows: Content[] }> {
  for (let fromUs = afterUs; fromUs < upToUs;) {
    const endUs = (await copy.feedUsAt({ afterUs: fromUs, upToUs }, MAX_ROWS_IN_MEMORY - 1)) ?? upToUs;
    const range = { afterUs: fromUs, upToUs: endUs };
    yield { range, rows: await copy.contents(range) };
    fromUs = endUs;
  }
}
