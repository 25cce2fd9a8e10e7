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
/** A reader that reports when it has begun, and finally how much it has read. */
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
  let reported: number[];
  let output: LogOutput;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'registry-log-'));
    pipe = join(folder, 'log');
    execFileSync('mkfifo', [pipe]);
    reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    // Blocking, as a shell opens it.
    const shared = openSync(pipe, constants.O_WRONLY);
    writer = openWithoutBlocking(shared);
    closeSync(shared);
    reported = [];
    output = new LogOutput(writer, (lines) => {
      reported.push(lines);
      output.write(`dropped ${lines}\n`);
    });
  });
  afterEach(() => {
    if (reader >= 0) closeSync(reader);
    // Without a reader the output gives up; otherwise it would later write into another file with this descriptor.
    output.writeAtEnd();
    closeSync(writer);
    rmSync(folder, { recursive: true });
    jest.restoreAllMocks();
  });

  /** Makes the pauses at exit take no time. @returns how long they would have taken so far, in milliseconds */
  function skipPauses(): () => number {
    const pauses = jest.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
    return () => pauses.mock.calls.reduce((sum, [, , , ms = Infinity]) => sum + ms, 0);
  }

  /** The current contents of the pipe. */
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

  it('writes all lines in order, with any characters', async () => {
    const lines = [...Array.from({ length: 3_000 }, (_, i) => `${i} земля ${'я'.repeat(100)}\n`), 'end\n'];
    for (const line of lines) output.write(line);
    const bytes = Buffer.from(lines.join(''));
    expect(await readUntil('end\n')).toBe(bytes.toString('latin1'));
  });

  it('buffers 8 MiB for a stuck reader, drops further lines, and reports their number when it reads again', async () => {
    const lines = 16 * 1_024;
    for (let i = 0; i < lines; i++) {
      output.write(LINE);
      if (i % 1_024 === 0) await turn();
    }
    expect(reported).toEqual([]);
    let text = '';
    while (!/dropped \d+\n$/.test(text.slice(-LINE.length))) {
      text += read();
      await sleep(1);
    }
    const kept = text.split('\n').filter((line) => line.startsWith('x')).length;
    expect(kept * LINE.length).toBeGreaterThan(8 * MIB - LINE.length);
    expect(kept * LINE.length).toBeLessThan(9 * MIB);
    expect(reported).toEqual([lines - kept]);
    expect(output.droppedTotal).toBe(lines - kept);
    output.write('and on\n');
    expect(await readUntil('and on\n')).toBe('and on\n');
  });

  it('at exit does not wait for a stuck reader', () => {
    for (let i = 0; i < 4_096; i++) output.write(LINE);
    const pausedMs = skipPauses();
    output.writeAtEnd();
    expect(pausedMs()).toBeLessThan(2_000);
    expect(read()).toContain(LINE);
  });

  it('at exit waits for an active reader, although the process is suspended again and again', async () => {
    let nowMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 3_000));
    const counting = spawn(process.execPath, ['--eval', COUNT_BYTES, pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(counting, 'exit');
    // A reader that takes a second to start would count as stuck.
    await once(counting.stdout, 'data');
    for (let i = 0; i < 4_096; i++) output.write(LINE);
    output.writeAtEnd();
    clock.mockRestore();
    closeSync(writer);
    writer = openSync('/dev/null', 'w');
    await ended;
    expect(Number(readFileSync(`${pipe}.size`, 'utf8'))).toBe(4_096 * LINE.length);
  });

  it('at exit does not wait for a full disk', () => {
    const full = openSync('/dev/full', 'w');
    const unlucky = new LogOutput(full, () => undefined);
    unlucky.write(LINE);
    const pausedMs = skipPauses();
    // It stays open, because the disk may have room again.
    unlucky.writeAtEnd();
    expect(pausedMs()).toBeLessThan(2_000);
  });

  it('discards lines silently once the reader is gone', async () => {
    closeSync(reader);
    reader = -1;
    for (let i = 0; i < 10; i++) {
      output.write(LINE);
      await turn();
    }
    output.writeAtEnd();
    expect(reported).toEqual([]);
  });
});
