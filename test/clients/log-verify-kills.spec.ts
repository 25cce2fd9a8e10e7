import { beforeAll, describe, expect, it } from '@jest/globals';
import { verifiedRoot } from '../../clients/sync/src/verifying/log/past.js';
import { LogRefuted } from '../../clients/sync/src/verifying/log/refuted.js';
import { fakeAsset, FakeLog, fakeOrigin, FakeSigner } from '../support/fake-log.js';
import { MemoryLogStore, verifyAgainst } from '../support/memory-log-store.js';

const TILES_PER_WRITE = 3;
/** More entries than in these tiles. */
const GROWN = 900;
const SEEN = 300;
const BEGIN_US = Date.UTC(2026, 10, 23, 10) * 1_000;
const GONE = 'the process is gone';

/** A store whose process is killed at one of its writes: just before it, or just after. */
class KilledSeen extends MemoryLogStore {
  /** @param left steps that it lives: two for each write */
  constructor(
    of: MemoryLogStore,
    private left: number,
  ) {
    super(of.stored, of.tiles);
    this.archived.push(...of.archived);
  }

  override storeHead(...args: Parameters<MemoryLogStore['storeHead']>): Promise<void> {
    return this.write(() => super.storeHead(...args));
  }

  override replace(...args: Parameters<MemoryLogStore['replace']>): Promise<void> {
    return this.write(() => super.replace(...args));
  }

  override storeTiles(...args: Parameters<MemoryLogStore['storeTiles']>): Promise<void> {
    return this.write(() => super.storeTiles(...args));
  }

  private async write(work: () => Promise<void>): Promise<void> {
    this.step();
    await work();
    this.step();
  }

  private step(): void {
    if (this.left-- === 0) throw new Error(GONE);
  }
}

let before: FakeLog;
let grown: FakeLog;
let tampered: FakeLog;
let restored: FakeLog;
let seen: MemoryLogStore;

function logOf(from: FakeLog, size: number): FakeLog {
  for (let i = from.entries.length; i < size; i++) from.append(fakeAsset(i, BEGIN_US + i * 1_000));
  return from.publish();
}

/** @returns the size that was verified, why it was refuted, or that the process was killed */
async function verify({ source }: FakeLog, past: MemoryLogStore, acceptRestore = false): Promise<number | string> {
  try {
    return (await verifyAgainst(source, past, { acceptRestore }, TILES_PER_WRITE))?.size ?? 0;
  } catch (error) {
    if (error instanceof LogRefuted || (error instanceof Error && error.message === GONE)) return error.message;
    throw error;
  }
}

/** The state left by a process that is killed at each of its writes in turn. */
async function* leftBy(log: FakeLog, past: MemoryLogStore, acceptRestore = false): AsyncGenerator<MemoryLogStore> {
  for (let steps = 0; ; steps++) {
    const killed = new KilledSeen(past.clone(), steps);
    if ((await verify(log, killed, acceptRestore)) !== GONE) return;
    yield new MemoryLogStore(killed.stored, killed.tiles);
  }
}

/** The hashes that count are those that the stored checkpoint was signed for. */
async function expectSound(past: MemoryLogStore): Promise<void> {
  const { stored } = past;
  if (stored === undefined) return;
  expect((await verifiedRoot(past, stored.size))?.toString('base64')).toBe(stored.root);
  expect(stored.note).toContain(`\n${stored.root}\n`);
  expect(stored.keys).toHaveLength(1);
}

beforeAll(async () => {
  before = logOf(new FakeLog(), SEEN);
  seen = new MemoryLogStore();
  await verify(before, seen);
  grown = logOf(before.clone(), GROWN);
  tampered = grown.clone().replace(17).publish();
  restored = before.clone();
  restored.origin = fakeOrigin(2);
  while (restored.entries.length > 260) restored.remove(260);
  for (let i = 0; i < 70; i++) restored.append(fakeAsset(10_000 + i, BEGIN_US + (SEEN + i) * 1_000));
  restored.publish();
});

describe('a verification that is killed at any of its writes', () => {
  it('leaves a first verification stored completely or not at all', async () => {
    let points = 0;
    for await (const past of leftBy(grown, new MemoryLogStore())) {
      points++;
      await expectSound(past);
      if (past.stored === undefined) {
        const other = logOf(new FakeLog(grown.origin, [new FakeSigner('registry.example')]), SEEN);
        expect(await verify(other, past.clone())).toBe(SEEN);
      }
      expect(await verify(grown, past)).toBe(GROWN);
    }
    // Two times tiles, and the head: before and after each.
    expect(points).toBe(6);
  });

  it('leaves the old or the new state, and the next verification finds no change, or the actual one', async () => {
    let points = 0;
    for await (const past of leftBy(grown, seen)) {
      points++;
      await expectSound(past);
      expect([SEEN, GROWN]).toContain(past.stored?.size);
      expect(await verify(tampered, past.clone())).toMatch(/does not begin with the verified entries .*place 17 /);
      expect(await verify(grown, past)).toBe(GROWN);
    }
    expect(points).toBe(6);
  });

  it('leaves the old state if the log was changed, and the next verification reports that, or that it is sound again', async () => {
    const whole = new MemoryLogStore();
    await verify(grown, whole);
    const changed = grown
      .clone()
      .replace(GROWN - 10)
      .publish();
    let points = 0;
    for await (const past of leftBy(changed, whole)) {
      points++;
      expect(past.stored).toEqual(whole.stored);
      await expectSound(past);
      expect(await verify(changed, past.clone())).toMatch(/does not begin with the verified entries .*place 890 /);
      expect(await verify(grown, past)).toBe(GROWN);
    }
    // Tiles before the changed one are written unchanged.
    expect(points).toBe(2);
  });

  it('leaves the old log or the common part if a restored registry is accepted', async () => {
    const sizes: unknown[] = [];
    for await (const past of leftBy(restored, seen, true)) {
      await expectSoundHashes(past);
      sizes.push(past.stored?.size);
      if (past.stored?.origin === fakeOrigin(1)) {
        expect(await verify(restored, past.clone())).toMatch(/was restored.*40 verified entries.* are missing/);
        expect(await verify(before, past.clone())).toBe(SEEN);
      }
      expect(await verify(restored, past, true)).toBe(330);
    }
    expect(sizes).toEqual([SEEN, 260, 260, 260, 260, 330]);
  });
});

/** A head that is taken over from another log has the note of the new one. */
async function expectSoundHashes(past: MemoryLogStore): Promise<void> {
  expect((await verifiedRoot(past, past.stored?.size ?? 0))?.toString('base64')).toBe(past.stored?.root);
}
