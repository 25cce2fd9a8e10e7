import { once } from 'node:events';
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { CODINGS, CompressedBodies, compressionStream } from './encoding.js';

/** A coder whose compressions end only with `endAll()`. */
class PausedCoder {
  readonly begun: Buffer[] = [];
  private readonly ends: (() => void)[] = [];

  readonly code = (body: Buffer): Promise<Buffer> => {
    this.begun.push(body);
    return new Promise((resolve) => this.ends.push(() => resolve(Buffer.from(`coded ${body.toString()}`))));
  };

  endAll(): void {
    for (const end of this.ends.splice(0)) end();
  }
}

const body = (name: number | string): Buffer => Buffer.from(`body ${name}`);

describe('a streamed compression', () => {
  const decoders = { br: createBrotliDecompress, gzip: createGunzip, zstd: () => createZstdDecompress() };

  it.each(CODINGS)('can be read after each write, in %s', async (coding) => {
    const coder = compressionStream(coding);
    const read = coder.pipe(decoders[coding]());
    for (const line of ['one', 'two']) {
      coder.write(line);
      const [bytes] = (await once(read, 'data')) as [Buffer];
      expect(bytes.toString()).toBe(line);
    }
    coder.destroy();
    read.destroy();
  });
});

describe('compressed bodies', () => {
  it('two are compressed at once, some wait, and further ones are sent uncompressed', async () => {
    const coder = new PausedCoder();
    const bodies = new CompressedBodies({ gzip: coder.code });
    const asked = Array.from({ length: 18 }, (_, i) => bodies.get(body(i), 'gzip'));
    await turn();
    expect(coder.begun).toHaveLength(2);
    expect(await bodies.get(body('late'), 'gzip')).toBeUndefined();
    // Joining a running compression costs nothing.
    asked.push(bodies.get(body(1), 'gzip'));
    for (let ended = 0; ended < 18; ended += 2) {
      coder.endAll();
      await turn();
    }
    expect((await Promise.all(asked)).map(String)).toEqual([...Array(18).keys(), 1].map((i) => `coded body ${i}`));
    const again = bodies.get(body('late'), 'gzip');
    await turn();
    coder.endAll();
    expect(String(await again)).toBe('coded body late');
  });

  it('one that fails is sent uncompressed, and compressed at the next request', async () => {
    let calls = 0;
    const bodies = new CompressedBodies({
      gzip: () => (calls++ === 0 ? Promise.reject(new Error('no memory')) : Promise.resolve(Buffer.from('coded'))),
    });
    expect(await bodies.get(body(1), 'gzip')).toBeUndefined();
    expect(String(await bodies.get(body(1), 'gzip'))).toBe('coded');
  });
});
