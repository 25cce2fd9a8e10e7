import { describe, expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { CT_ENTRIES, CT_ROOTS } from '../support/rfc6962-vectors.js';
import { filledTiles, LogTree, type ReadHashes, type TileHash } from '../../clients/tlog/src/log-tree.js';
import { leafHash } from '../../clients/tlog/src/tree.js';

const LEAVES = CT_ENTRIES.map((hex) => leafHash(Buffer.from(hex, 'hex').toString()));

const node = (left: Buffer, right: Buffer): Buffer =>
  hash('sha256', Buffer.concat([Buffer.of(1), left, right]), 'buffer');

/** RFC 6962, section 2.1, word for word. */
function mth(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (first === undefined) return hash('sha256', '', 'buffer');
  if (leaves.length === 1) return first;
  const k = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  return node(mth(leaves.slice(0, k)), mth(leaves.slice(k)));
}

function path(m: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length <= 1) return [];
  const k = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  return m < k
    ? [...path(m, leaves.slice(0, k)), mth(leaves.slice(k))]
    : [...path(m - k, leaves.slice(k)), mth(leaves.slice(0, k))];
}

function subproof(m: number, leaves: readonly Buffer[], isWhole: boolean): Buffer[] {
  if (m === leaves.length) return isWhole ? [] : [mth(leaves)];
  const k = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  return m <= k
    ? [...subproof(m, leaves.slice(0, k), isWhole), mth(leaves.slice(k))]
    : [...subproof(m - k, leaves.slice(k), false), mth(leaves.slice(0, k))];
}

/** As the tables keep them: leaves, and hashes of full tiles. */
class StoredHashes {
  private readonly levels: Buffer[][] = [[]];

  readonly read: ReadHashes = (level, from, count) =>
    Promise.resolve((this.levels[level] ?? []).slice(from, from + count));

  get size(): number {
    return this.levels[0]?.length ?? 0;
  }

  async append(leaves: readonly Buffer[]): Promise<TileHash[]> {
    const filled = await filledTiles(this.read, this.size, leaves);
    this.levels[0]?.push(...leaves);
    for (const { level, place, hash: one } of filled) (this.levels[level] ??= [])[place] = one;
    return filled;
  }
}

const leaf = (i: number): Buffer => leafHash(`entry ${i}`);
const leaves = (count: number): Buffer[] => Array.from({ length: count }, (_, i) => leaf(i));

async function storedHashes(count: number, step: number): Promise<StoredHashes> {
  const hashes = new StoredHashes();
  for (let i = 0; i < count; i += step) await hashes.append(leaves(count).slice(i, Math.min(i + step, count)));
  return hashes;
}

describe('the tree', () => {
  it('has the roots of the vectors of RFC 6962', async () => {
    const hashes = new StoredHashes();
    await hashes.append(LEAVES);
    for (const [i, root] of CT_ROOTS.entries())
      expect((await new LogTree(hashes.read, i + 1).root()).toString('hex')).toBe(root);
    expect((await new LogTree(hashes.read, 0).root()).toString('hex')).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
  });

  it.each([1, 2, 3, 256, 257, 700])('of %i entries has the root of the definition', async (size) => {
    const { read } = await storedHashes(size, 100);
    expect(await new LogTree(read, size).root()).toEqual(mth(leaves(size)));
  });

  it('keeps the same hashes in whatever steps it grew', async () => {
    const all = await (await storedHashes(0, 1)).append(leaves(1_100));
    expect(all.map(({ level, place }) => [level, place])).toEqual([
      [1, 0],
      [1, 1],
      [1, 2],
      [1, 3],
    ]);
    for (const step of [1, 255, 256, 300]) {
      const { read } = await storedHashes(1_100, step);
      expect(await read(1, 0, 4)).toEqual(all.map(({ hash: one }) => one));
    }
  });

  it('has a second level of tiles', async () => {
    const size = 65_536 + 300;
    const { read } = await storedHashes(size, 10_000);
    expect(await new LogTree(read, size).root()).toEqual(mth(leaves(size)));
    expect(await read(2, 0, 1)).toEqual([mth(leaves(65_536))]);
  });

  it.each([1, 2, 256, 600])('of %i entries proves each of them', async (size) => {
    const tree = new LogTree((await storedHashes(size, 100)).read, size);
    for (const place of new Set([0, 1, 254, 255, 256, 257, size - 1, size >> 1].filter((one) => one < size)))
      expect(await tree.inclusionProof(place)).toEqual(path(place, leaves(size)));
  });

  it.each([1, 7, 256, 600])(
    'of %i entries proves that it grew from a smaller one, and knows its root',
    async (size) => {
      const tree = new LogTree((await storedHashes(size, 100)).read, size);
      for (const old of new Set([1, 2, 3, 4, 6, 255, 256, 257, size - 1, size].filter((one) => one > 0 && one <= size)))
        expect([await tree.consistencyProof(old), await tree.root(old)]).toEqual([
          subproof(old, leaves(size), true),
          mth(leaves(old)),
        ]);
    },
  );
});
