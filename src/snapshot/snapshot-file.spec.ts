import { randomBytes } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SnapshotFile } from './snapshot-file.js';
import { SnapshotName } from './snapshot-name.js';

const BYTES = randomBytes(300_000);
const NAME = SnapshotName.next('abc', 1, 'jsonl');

describe('the file of a snapshot', () => {
  let folder: string;
  let file: SnapshotFile;
  let isClosed: () => boolean;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'snapshot-'));
    const handle = await open(join(folder, 'file'), 'ax+');
    file = SnapshotFile.growing(NAME, handle);
    isClosed = () => handle.fd < 0;
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is read while it grows, to its end', async () => {
    const readers = [buffer(file.read()), buffer(file.read(299_990)), buffer(file.read(5, 10))];
    for (let at = 0; at < BYTES.length; at += 70_000) await file.append(BYTES.subarray(at, at + 70_000));
    expect(file.size).toBeUndefined();
    file.end();
    expect(file.size).toBe(BYTES.length);
    const whole = await Promise.all([...readers, buffer(file.read())]);
    expect(
      whole.map((read, i) => read.equals(BYTES.subarray([0, 299_990, 5, 0][i], [300_000, 300_000, 10][i]))),
    ).toEqual([true, true, true, true]);
    file.release();
  });

  it('is closed by the last who uses it', async () => {
    await file.append(BYTES);
    file.end();
    const readers = [file.read(), file.read()] as const;
    file.release();
    expect((await buffer(readers[0])).equals(BYTES)).toBe(true);
    expect(isClosed()).toBe(false);
    const over = new Promise((resolve) => readers[1].once('close', resolve));
    readers[1].destroy();
    await over;
    expect(isClosed()).toBe(true);
  });

  it('that fails is cut for those who read it', async () => {
    const [reader, settled] = [buffer(file.read()), file.settle(60_000)];
    await file.append(BYTES);
    file.end(new Error('no room'));
    const told = await Promise.allSettled([reader, settled]);
    expect(told).toMatchObject([reader, settled].map(() => ({ status: 'rejected', reason: { message: 'no room' } })));
    file.release();
  });

  it('is waited for until its end, but not for long', async () => {
    await file.settle(1);
    expect(file.size).toBeUndefined();
    const settled = file.settle(60_000);
    file.end();
    await settled;
    file.release();
  });
});
