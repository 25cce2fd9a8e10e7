import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '../../../test/support/until.js';
import { SnapshotFile } from './snapshot-file.js';

const BYTES = randomBytes(300_000);

describe('the file of a snapshot', () => {
  let folder: string;
  let file: SnapshotFile;

  /** Whether this process has a file of the folder open. */
  const isOpen = async (): Promise<boolean> => {
    const all = await readdir('/proc/self/fd');
    const files = await Promise.all(all.map((one) => readlink(`/proc/self/fd/${one}`).catch(() => '')));
    return files.some((path) => path.startsWith(folder));
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'snapshot-'));
    file = await SnapshotFile.create(folder, { clockUs: 1, epoch: 'e' });
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is read while it grows, to its end', async () => {
    const readers = [buffer(file.read()), buffer(file.read(299_990)), buffer(file.read(5, 10))];
    for (let at = 0; at < BYTES.length; at += 70_000) await file.append(BYTES.subarray(at, at + 70_000));
    expect(file.size).toBeUndefined();
    file.end();
    expect(file.size).toBe(BYTES.length);
    const [whole, ofEnd, ofMiddle, afterwards] = await Promise.all([...readers, buffer(file.read())]);
    expect([whole?.equals(BYTES), afterwards?.equals(BYTES)]).toEqual([true, true]);
    expect([ofEnd, ofMiddle]).toEqual([BYTES.subarray(299_990), BYTES.subarray(5, 10)]);
    file.retire();
  });

  it('has no name, and is closed with its last reader once it is retired', async () => {
    expect(await readdir(folder)).toEqual([]);
    await file.append(BYTES);
    file.end();
    const readers = [file.read(), file.read()] as const;
    file.retire();
    expect((await buffer(readers[0])).equals(BYTES)).toBe(true);
    await setImmediate();
    expect(await isOpen()).toBe(true);
    readers[1].destroy();
    await until(async () => !(await isOpen()));
  });

  it('breaks off its readers if it fails or is cut', async () => {
    const failing = buffer(file.read());
    await file.append(BYTES);
    file.end(new Error('no room'));
    await expect(failing).rejects.toThrow('no room');
    const slow = file.read();
    file.cut();
    await expect(once(slow, 'end')).rejects.toThrow('replaced by newer');
    file.retire();
  });
});
