import { closeSync, createReadStream, existsSync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs';
import { SyncError } from '../sync-error.js';
import { namingFile } from './naming-file.js';

const NEWLINE = 10;

/** A line of a file, without its end, and where it is, in bytes. */
export interface FileLine {
  text: string;
  at: number;
  bytes: number;
}

/**
 * The whole lines in the first `bytes` of a file, some at a time. A line feed alone ends one: what Node.js calls a line ends at U+2028 too, which
 * stands in JSON as any other character.
 */
export async function* linesIn(path: string, bytes: number): AsyncGenerator<FileLine[], void, undefined> {
  if (bytes === 0) return;
  let rest = Buffer.alloc(0);
  let at = 0;
  for await (const chunk of createReadStream(path, { end: bytes - 1 }) as AsyncIterable<Buffer>) {
    const read = Buffer.concat([rest, chunk]);
    const end = read.lastIndexOf(NEWLINE) + 1;
    yield linesOf(read.toString('utf8', 0, end), at);
    at += end;
    rest = read.subarray(end);
  }
}

/** @param text whole lines @param at where they begin in the file, in bytes */
export function linesOf(text: string, at: number): FileLine[] {
  let next = at;
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const bytes = Buffer.byteLength(line);
      const found = { text: line, at: next, bytes };
      next += bytes + 1;
      return found;
    });
}

/** Writes lines to an open file, durably. @param at where they begin, in bytes @throws SyncError that names the file */
export function writeLines(path: string, file: number, lines: Buffer, at: number): void {
  namingFile(path, 'written', () => {
    for (let written = 0; written < lines.length;)
      written += writeSync(file, lines, written, lines.length - written, at + written);
    fdatasyncSync(file);
  });
}

/**
 * A file that was torn while it was written has a part of its beginning, or zeros in its place.
 * @throws SyncError where the file of that name is somebody else's, before anything of it is written or cut off
 */
export function proveBeginning(path: string, beginning: string): void {
  if (!existsSync(path)) return;
  const head = Buffer.alloc(beginning.length);
  const file = openSync(path, 'r');
  try {
    const text = head.toString('latin1', 0, readSync(file, head, 0, head.length, 0));
    if (!beginning.startsWith(text.replaceAll('\0', '')))
      throw new SyncError(`${path} holds something that is not of a copy`);
  } finally {
    closeSync(file);
  }
}
