import { UnexpectedAnswer } from './errors.js';

/** Pages of a registry end at about 2 MiB, so a much larger answer is not one, and may be endless. */
const MAX_BYTES = 64 * 1024 * 1024;
const SHOWN = 60;

/** Reads a whole body. @throws UnexpectedAnswer if it is larger than any answer of a registry */
export async function bytesOfBody(body: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new UnexpectedAnswer(`The answer has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** @throws UnexpectedAnswer unless the text is a JSON object */
export function objectIn(text: string): Record<string, unknown> {
  const value = parsed(text);
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  throw notARegistry(text);
}

/** @param text of the answer */
export function notARegistry(text: string): UnexpectedAnswer {
  return new UnexpectedAnswer(`The answer is not a registry's: ${JSON.stringify(text.slice(0, SHOWN))}`);
}

/** Guards against an endless loop. @throws UnexpectedAnswer if a page links to itself */
export function assertAdvances(from: string | number, to: string | number): void {
  if (from === to) throw new UnexpectedAnswer(`The page after ${from} links to itself`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
