import { closeSync, createReadStream, existsSync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs';
import { SyncError } from '../sync-error.js';
import { namingFile } from './naming-file.js';

const NEWLINE = 10;

/** A line of a file without its line feed, and its position in bytes. */
export interface FileLine {
  text: string;
  at: number;
  bytes: number;
}

/**
 * The complete lines in the first `bytes` of a file, in chunks. Only a line feed ends a line, unlike in Node.js, where U+2028 does too, which is an
 * ordinary character in JSON.
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

/** @param text complete lines @param at their offset in the file, in bytes */
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

/** Writes lines to an open file and flushes them to disk. @param at their offset, in bytes @throws SyncError naming the file */
export function writeLines(path: string, file: number, lines: Buffer, at: number): void {
  namingFile(path, 'written', () => {
    for (let written = 0; written < lines.length;)
      written += writeSync(file, lines, written, lines.length - written, at + written);
    fdatasyncSync(file);
  });
}

/**
 * Checks that a file is ours by its beginning. After a crash during its first write it has a part of that, or zeros.
 * @throws SyncError if the file is not ours, before anything is written or truncated
 */
export function proveBeginning(path: string, beginning: string): void {
  if (!existsSync(path)) return;
  const head = Buffer.alloc(beginning.length);
  const file = openSync(path, 'r');
  try {
    const text = head.toString('latin1', 0, readSync(file, head, 0, head.length, 0));
    if (!beginning.startsWith(text.replaceAll('\0', '')))
      throw new SyncError(`${path} contains data that is not of a copy`);
  } finally {
    closeSync(file);
  }
}
