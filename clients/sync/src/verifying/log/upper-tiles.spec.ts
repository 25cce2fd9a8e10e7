import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { NotFound } from 'asset-registry-client';
import { rootOf, type Tile, TILE_WIDTH } from 'asset-registry-tlog';
import type { LogSource } from './source.js';
import { checkUpperTiles, shown } from './upper-tiles.js';

/** Full tiles of level 0: the log has 515 hashes of level 1, two of level 2, and seven entries more. */
const ROOTS = Array.from({ length: 2 * TILE_WIDTH + 3 }, (_, i) => hash('sha256', `tile ${i}`, 'buffer'));
const SIZE = ROOTS.length * TILE_WIDTH + 7;

/** @param spoil changes the hashes of the levels, from level 1 on @returns the requests, and the fault's message and index */
async function checked(spoil: (levels: (Buffer | undefined)[][]) => void) {
  const level2 = [0, 1].map((at) => rootOf(ROOTS.slice(at * TILE_WIDTH, (at + 1) * TILE_WIDTH)));
  const levels: (Buffer | undefined)[][] = [[...ROOTS], level2];
  spoil(levels);
  const asked: Tile[] = [];
  const tile = async (one: Tile): Promise<Buffer> => {
    asked.push(one);
    const first = one.number * TILE_WIDTH;
    const hashes = levels[one.level - 1]?.slice(first, first + one.width) ?? [];
    if (hashes.length < one.width || hashes.some((each) => each === undefined))
      throw new NotFound({ method: 'GET', path: '', status: 404, faults: [] });
    return Buffer.concat(hashes as Buffer[]);
  };
  const fault = await checkUpperTiles({ tile } as LogSource, SIZE, ROOTS.map(shown)).catch((error: unknown) => error);
  return { asked, fault };
}

const OTHER = Buffer.alloc(32, 7);

describe('the tiles above those of the entries', () => {
  it('are all fetched, the last of each level as wide as it is', async () => {
    const { asked, fault } = await checked(() => undefined);
    expect(fault).toBeUndefined();
    expect(asked).toEqual([
      { level: 1, number: 0, width: 256 },
      { level: 1, number: 1, width: 256 },
      { level: 1, number: 2, width: 3 },
      { level: 2, number: 0, width: 2 },
    ]);
  });

  it.each([
    [1, 300],
    [2, 1],
  ])('are refused where a hash of level %i was changed or deleted, at place %i', async (level, place) => {
    const first = place * TILE_WIDTH ** level;
    const last = first + TILE_WIDTH ** level - 1;
    const where = `The hash at place ${place} of level ${level} of the log, which is the root of the entries at places ${first} to ${last}, `;
    let due: Buffer | undefined;
    const changed = await checked((levels) => {
      const hashes = levels[level - 1] as Buffer[];
      [due, hashes[place]] = [hashes[place], OTHER];
    });
    const gives = `the signed entries give ${due?.toString('base64')}`;
    expect(changed.fault).toMatchObject({
      message: `${where}is ${OTHER.toString('base64')}: ${gives}`,
      place: first,
      exitCode: 6,
    });
    const deleted = await checked((levels) => ((levels[level - 1] as unknown[])[place] = undefined));
    expect(deleted.fault).toMatchObject({ message: `${where}is not served: ${gives}`, place: first });
  });

  it('do not refute a registry that does not answer', async () => {
    const tile = (): Promise<Buffer> => Promise.reject(new Error('away'));
    await expect(checkUpperTiles({ tile } as unknown as LogSource, SIZE, ROOTS.map(shown))).rejects.toThrow(/^away$/);
  });
});
