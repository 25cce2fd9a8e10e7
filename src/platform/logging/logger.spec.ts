import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LogOutput, openWithoutBlocking } from './logger.js';

const MIB = 2 ** 20;
const LINE = `${'x'.repeat(1_023)}\n`;
/** A reader that says when it has begun, and leaves behind how much it has read. */
const COUNT_BYTES = `
  const { openSync, readSync, writeFileSync } = require('node:fs');
  const pipe = openSync(process.argv[1], 'r');
  const buffer = Buffer.alloc(65_536);
  console.log('reading');
  let all = 0;
  for (let read; (read = readSync(pipe, buffer)) > 0;) all += read;
  writeFileSync(process.argv[1] + '.size', String(all));
`;

describe('the output of the log', () => {
  let folder: string;
  let reader: number;
  let writer: number;
  let pipe: string;
  let told: number[];
  let output: LogOutput;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'registry-log-'));
    pipe = join(folder, 'log');
    execFileSync('mkfifo', [pipe]);
    reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    // As a shell hands it over: it blocks.
    const shared = openSync(pipe, constants.O_WRONLY);
    writer = openWithoutBlocking(shared);
    closeSync(shared);
    told = [];
    output = new LogOutput(writer, (lines) => {
      told.push(lines);
      output.write(`dropped ${lines}\n`);
    });
  });
  afterEach(() => {
    if (reader >= 0) closeSync(reader);
    // Nobody reads it any more, so it gives up: later it would write into whatever has its number then.
    output.writeAtEnd();
    closeSync(writer);
    rmSync(folder, { recursive: true });
    jest.restoreAllMocks();
  });

  /** Pauses at the end take no time. @returns how long they would have taken so far, in milliseconds */
  function skipPauses(): () => number {
    const pauses = jest.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
    return () => pauses.mock.calls.reduce((sum, [, , , ms = Infinity]) => sum + ms, 0);
  }

  /** What is in the pipe now. */
  function read(): string {
    const buffer = Buffer.alloc(MIB);
    try {
      return buffer.toString('latin1', 0, readSync(reader, buffer));
    } catch {
      return '';
    }
  }

  async function readUntil(end: string): Promise<string> {
    let text = '';
    while (!text.endsWith(end)) {
      text += read();
      await sleep(1);
    }
    return text;
  }

  it('writes every line in its order, whatever their letters', async () => {
    const lines = [...Array.from({ length: 3_000 }, (_, i) => `${i} земля ${'я'.repeat(100)}\n`), 'end\n'];
    for (const line of lines) output.write(line);
    const bytes = Buffer.from(lines.join(''));
    expect(await readUntil('end\n')).toBe(bytes.toString('latin1'));
  });

  it('keeps 8 MiB for a reader that does not read, drops the rest, and says how many when it reads again', async () => {
    const lines = 16 * 1_024;
    for (let i = 0; i < lines; i++) {
      output.write(LINE);
      if (i % 1_024 === 0) await turn();
    }
    expect(told).toEqual([]);
    let text = '';
    while (!/dropped \d+\n$/.test(text.slice(-LINE.length))) {
      text += read();
      await sleep(1);
    }
    const kept = text.split('\n').filter((line) => line.startsWith('x')).length;
    expect(kept * LINE.length).toBeGreaterThan(8 * MIB - LINE.length);
    expect(kept * LINE.length).toBeLessThan(9 * MIB);
    expect(told).toEqual([lines - kept]);
    expect(output.droppedInAll).toBe(lines - kept);
    output.write('and on\n');
    expect(await readUntil('and on\n')).toBe('and on\n');
  });

  it('at the end does not wait for a reader that does not read', () => {
    for (let i = 0; i < 4_096; i++) output.write(LINE);
    const pausedMs = skipPauses();
    output.writeAtEnd();
    expect(pausedMs()).toBeLessThan(2_000);
    expect(read()).toContain(LINE);
  });

  it('at the end waits for a reader that reads, though the process stands still again and again', async () => {
    let nowMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 3_000));
    const counting = spawn(process.execPath, ['--eval', COUNT_BYTES, pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(counting, 'exit');
    // What takes a second to start would be taken for a reader that does not read.
    await once(counting.stdout, 'data');
    for (let i = 0; i < 4_096; i++) output.write(LINE);
    output.writeAtEnd();
    clock.mockRestore();
    closeSync(writer);
    writer = openSync('/dev/null', 'w');
    await ended;
    expect(Number(readFileSync(`${pipe}.size`, 'utf8'))).toBe(4_096 * LINE.length);
  });

  it('at the end does not wait for a disk that is full', () => {
    const full = openSync('/dev/full', 'w');
    const unlucky = new LogOutput(full, () => undefined);
    unlucky.write(LINE);
    const pausedMs = skipPauses();
    // It stays open: there may be room again, and so it goes on.
    unlucky.writeAtEnd();
    expect(pausedMs()).toBeLessThan(2_000);
  });

  it('takes everything without a word once the reader is gone', async () => {
    closeSync(reader);
    reader = -1;
    for (let i = 0; i < 10; i++) {
      output.write(LINE);
      await turn();
    }
    output.writeAtEnd();
    expect(told).toEqual([]);
  });
});
