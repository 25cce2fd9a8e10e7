import { once } from 'node:events';
import { Readable } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { ConnectionFailed, UnexpectedAnswer } from './errors.js';
import { Snapshot } from './snapshot.js';

const HEAD = '{"offset":"now","feed_epoch":"e"}\n';
const LINES = Array.from({ length: 20_000 }, (_, i) => `{"id":"${i}","title":"${'Земля '.repeat(i % 50)}"}`);
const ALL = HEAD + LINES.map((line) => `${line}\n`).join('');

const read = (bytes: Buffer): Promise<Snapshot> => Snapshot.read(Readable.from([bytes]), undefined);

async function textsOf(snapshot: Snapshot, seen: string[] = []): Promise<string[]> {
  for await (const texts of snapshot.texts) seen.push(...texts);
  return seen;
}

describe('a snapshot', () => {
  it('comes in chunks, also as objects', async () => {
    const sizes: number[] = [];
    for await (const assets of (await read(gzipSync(ALL))).assets) {
      expect(assets[0]).toMatchObject({ id: String(sizes.reduce((sum, size) => sum + size, 0)) });
      sizes.push(assets.length);
    }
    expect(sizes.length).toBeGreaterThan(3);
  });

  it.each(['hello', 'null', '{}', '{"offset":1,"feed_epoch":"e"}', '{"offset":"o"}'])(
    'does not begin with %j, and its connection is let go',
    async (head) => {
      // The stream does not end.
      const body = new Readable({ read: () => undefined });
      body.push(gzipSync(`${head}\n`));
      const closed = once(body, 'close');
      await expect(Snapshot.read(body, undefined)).rejects.toThrow(UnexpectedAnswer);
      await closed;
    },
  );

  it('refuses a line that does not end', async () => {
    const piece = Buffer.alloc(1024 * 1024, 'x');
    let pieces = 0;
    function* endless(): Generator<Buffer> {
      yield Buffer.from(HEAD);
      for (; pieces < 200; pieces++) yield piece;
    }
    const body = Readable.from(endless(), { objectMode: false }).pipe(createGzip({ level: 1 }));
    await expect(textsOf(await Snapshot.read(body, undefined))).rejects.toThrow(ConnectionFailed);
    expect(pieces).toBeLessThan(200);
  });

  it('that is cut fails, after yielding the complete part', async () => {
    const half = gzipSync(ALL).subarray(0, 40_000);
    const seen: string[] = [];
    await expect(textsOf(await read(half), seen)).rejects.toThrow(ConnectionFailed);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen).toEqual(LINES.slice(0, seen.length));
  });

  it('whose last line is incomplete fails', async () => {
    await expect(textsOf(await read(gzipSync(ALL.slice(0, -1))))).rejects.toThrow(ConnectionFailed);
  });

  it('that is aborted ends with the reason, even if more has arrived', async () => {
    const [controller, reason] = [new AbortController(), new Error('enough')];
    const { texts } = await Snapshot.read(Readable.from([gzipSync(ALL)]), controller.signal);
    await texts.next();
    controller.abort(reason);
    await expect(texts.next()).rejects.toBe(reason);
  });

  it('without a first line is refused', async () => {
    await expect(read(gzipSync(''))).rejects.toThrow(ConnectionFailed);
  });
});
