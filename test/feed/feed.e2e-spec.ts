import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, change, create, type Owned, publish } from '../support/assets.js';
import { databases } from '../support/databases.js';
import { TestRegistry } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { type Mirror, Synchroniser } from './synchroniser.js';

const WRITERS = 16;
const ROUNDS = 8;

describe.each(databases)('the feed under $name', (kind) => {
  let registry: TestRegistry;
  const acknowledged: Mirror = new Map();
  const readers: Synchroniser[] = [];
  const drafts: string[] = [];
  const missedWhileWriting: string[] = [];

  const note = ({ asset }: Owned): void => void acknowledged.set(asset.id, asset.dateModified);

  /** Three of four assets are published once and never touched again: overwriting would hide a loss. */
  async function write(hot: Owned): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      for (let i = 0; i < 3; i++) note(await publish(registry));
      drafts.push((await create(registry)).id);
      const reply = await change(registry, hot, { title: `${Math.random()}` });
      note({ ...hot, asset: reply.json.data });
    }
  }

  /** Changes acknowledged before a sweep begins must be in the mirror when it ends. */
  async function read(reader: Synchroniser, isOver: () => boolean): Promise<void> {
    for (let last = false; ;) {
      const due = new Map(acknowledged);
      await reader.sweep();
      for (const [id, dateModified] of due) {
        const seen = reader.mirror.get(id);
        if (seen === undefined || seen < dateModified)
          missedWhileWriting.push(`limit ${reader.limit}: ${id} ${dateModified}`);
      }
      if (last) return;
      last = isOver();
    }
  }

  beforeAll(async () => {
    registry = await TestRegistry.start(kind);
    readers.push(...[1, 7, 1000].map((limit) => new Synchroniser(registry, limit)));
    const hot = await Promise.all(Array.from({ length: WRITERS / 2 }, () => publish(registry)));
    let over = false;
    const reading = readers.map((reader) => read(reader, () => over));
    // Two writers share each hot asset.
    await Promise.all(Array.from({ length: WRITERS }, (_, i) => write(hot[i % hot.length] as Owned)));
    over = true;
    await Promise.all(reading);
  });
  afterAll(() => registry?.stop());

  it('every acknowledged change is seen by every reader, by the end of the sweep that began after it', () => {
    expect(acknowledged.size).toBe(WRITERS * ROUNDS * 3 + WRITERS / 2);
    expect(missedWhileWriting).toEqual([]);
  });

  it('dateModified grows strictly, within and across pages', () => {
    expect(readers.flatMap(({ faults }) => faults)).toEqual([]);
  });

  it('every mirror is the registry in the end', async () => {
    const { json } = await registry.send(`${ASSETS}?limit=1000&opt_fields=title`);
    const listed = Object.fromEntries(json.data.map(({ id, dateModified }: Owned['asset']) => [id, dateModified]));
    for (const { mirror } of readers) expect(Object.fromEntries(mirror)).toEqual(listed);
  });

  it('an entry has the same values as the asset', async () => {
    const { json } = await registry.send(`${ASSETS}?limit=20&descending=1`);
    for (const { id, dateModified } of json.data) {
      expect((await registry.send(`${ASSETS}/${id}`)).json.data.dateModified).toBe(dateModified);
    }
  });

  it('no mirror has seen a draft, though writers made some all the time', () => {
    expect(drafts).toHaveLength(WRITERS * ROUNDS);
    for (const { mirror } of readers) expect(drafts.filter((id) => mirror.has(id))).toEqual([]);
  });
});

describe.each(databases)('when the clock of $name is an hour ahead of this process', (kind) => {
  it('a change still comes after all earlier ones', () =>
    TestRegistry.during(kind, { CLOCK_MAX_STEP: '2h' }, async (registry) => {
      const aheadUs = (Date.now() + 3_600_000) * 1_000;
      await runSql(registry, 'UPDATE feed_clock SET last_us = ?', [aheadUs]);
      await create(registry);
      const [row] = (await runSql(registry, 'SELECT modified_us FROM asset')) as [{ modified_us: number | string }];
      expect(Number(row.modified_us)).toBe(aheadUs + 1);
    }));
});
