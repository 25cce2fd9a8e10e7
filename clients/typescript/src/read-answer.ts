import { UnexpectedAnswer } from './errors.js';

/** Pages of a registry end at some 2 MiB: what is so much larger is none, and has perhaps no end. */
const MAX_BYTES = 64 * 1024 * 1024;
const SHOWN = 60;

/** All of a body. @throws UnexpectedAnswer for one that is larger than any of a registry */
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

/** @throws UnexpectedAnswer for what is no JSON object */
export function objectIn(text: string): Record<string, unknown> {
  const value = parsed(text);
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  throw notOfARegistry(text);
}

/** @param text of the answer */
export function notOfARegistry(text: string): UnexpectedAnswer {
  return new UnexpectedAnswer(`The answer is none of a registry: ${JSON.stringify(text.slice(0, SHOWN))}`);
}

/** Whoever followed a page that leads to itself would read it for ever. @throws UnexpectedAnswer */
export function checkLeadsOn(from: string | number, to: string | number): void {
  if (from === to) throw new UnexpectedAnswer(`The page after ${from} leads to itself`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
