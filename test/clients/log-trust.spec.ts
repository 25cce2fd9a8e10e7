import { beforeEach, describe, expect, it } from '@jest/globals';
import { NotFound, readVerifierKey } from '../../clients/typescript/src/index.js';
import type { VerifiedLog } from '../../clients/sync/src/verifying/log/log-verifier.js';
import { refutingSource } from '../../clients/sync/src/verifying/log/source.js';
import { fakeAsset, fakeEpoch, FakeLog, fakeOrigin, FakeSigner } from '../support/fake-log.js';
import { MemoryLogStore, verifyAgainst } from '../support/memory-log-store.js';

const SIZE = 600;
const BEGIN_US = Date.UTC(2026, 10, 23, 10) * 1_000;

let log: FakeLog;
let seen: MemoryLogStore;

const sight = (past = seen, trust = {}): Promise<VerifiedLog | undefined> =>
  verifyAgainst(refutingSource(log.source), past, trust);
const keyOf = (signer: FakeSigner, origin = log.origin): string => signer.vkeyOf(origin);

beforeEach(async () => {
  log = new FakeLog();
  for (let i = 0; i < SIZE; i++) log.append(fakeAsset(i, BEGIN_US + i * 1_000));
  log.publish();
  seen = new MemoryLogStore();
  await sight();
});

describe('the keys of a log', () => {
  it('are the same ones under the epoch of a restored registry', async () => {
    const [signer] = log.signers as [FakeSigner];
    const replaced = seen.stored;
    log.origin = fakeOrigin(2);
    log.remove(SIZE - 1);
    log.append(fakeAsset(SIZE, BEGIN_US + SIZE * 1_000));
    log.publish();
    await expect(sight()).rejects.toThrow(
      /^The registry was restored: .* 1 verified entries, from place 599 on, are missing.*now has the entry at place 599 \(asset/,
    );
    await expect(sight(seen, { logKeys: [readVerifierKey(keyOf(signer, fakeOrigin(1)))] })).rejects.toThrow(/restored/);
    expect(seen.stored).toBe(replaced);
    expect(await sight(seen, { acceptRestore: true })).toMatchObject({ size: SIZE, otherKeys: [] });
    // The signed checkpoint is evidence.
    expect(seen.archived).toEqual([replaced]);
    expect(seen.stored).toMatchObject({ origin: fakeOrigin(2), keys: [keyOf(signer)] });
    log.replace(100);
    log.publish();
    await expect(sight()).rejects.toThrow(/place 100 /);
    log.origin = fakeOrigin(3);
    while (log.entries.length > 5) log.remove(5);
    log.publish();
    expect(await sight(seen, { acceptRestore: true })).toMatchObject({ size: 5 });
  });

  it('do not fail if the registry is restored while its log is verified', async () => {
    const { identity, source } = log;
    const restored = { ...identity, origin: fakeOrigin(2) };
    const answers = [identity, restored];
    const gone = async (): Promise<never> => {
      throw new NotFound({ method: 'GET', path: '/', status: 404, faults: [] });
    };
    const files = { ...source, identity: async () => answers.shift(), of: () => ({ ...source, tile: gone }) };
    await expect(verifyAgainst(files, seen)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/^The registry was restored while its log was verified/),
    });
  });

  it('are not those of another log', async () => {
    const [signer] = log.signers as [FakeSigner];
    log.origin = `other.example/${fakeEpoch(2)}`;
    log.publish();
    await expect(sight()).rejects.toThrow(/is not signed by registry\.example\//);
    const trust = { logKeys: [readVerifierKey(keyOf(signer))], acceptRestore: true };
    await expect(sight(seen, trust)).rejects.toThrow(/^This is another log/);
  });

  it('are accepted under any epoch, and under the bare name', async () => {
    const [signer] = log.signers as [FakeSigner];
    for (const text of [signer.vkey, keyOf(signer, fakeOrigin(7)), keyOf(signer)]) {
      const past = new MemoryLogStore();
      expect(await sight(past, { logKeys: [readVerifierKey(text)] })).toMatchObject({ size: SIZE });
      expect(past.stored?.keys).toEqual([keyOf(signer)]);
    }
    const other = readVerifierKey(signer.vkeyOf('other.example'));
    await expect(sight(new MemoryLogStore(), { logKeys: [other] })).rejects.toThrow(
      /is not signed by other\.example\+/,
    );
  });

  it('are never joined by a key that the user did not give', async () => {
    const [old] = log.signers as [FakeSigner];
    const other = new FakeSigner('registry.example');
    log.signers = [old, other];
    log.publish();
    expect(await sight()).toMatchObject({ otherKeys: [keyOf(other)] });
    expect(seen.stored?.keys).toEqual([keyOf(old)]);
    log.signers = [other];
    log.publish();
    const refused = await sight().catch(String);
    expect(refused).toMatch(
      /The checkpoint is not signed by registry\.example\/[^ ]+\. The registry names another key /,
    );
    expect(refused).toContain(`${keyOf(other)}: pass it with --log-key once you know that it is genuine`);
    const both = [old, other].map((signer) => readVerifierKey(keyOf(signer)));
    expect(await sight(seen, { logKeys: both })).toMatchObject({ otherKeys: [] });
    expect(await sight()).toMatchObject({ size: SIZE, otherKeys: [] });
    expect(seen.stored?.keys).toEqual([keyOf(old), keyOf(other)]);
    // Given keys replace the trusted ones.
    expect(await sight(seen, { logKeys: both.slice(1) })).toMatchObject({ size: SIZE });
    log.signers = [old];
    log.publish();
    await expect(sight()).rejects.toThrow(/is not signed by/);
  });

  it('of unknown kinds are not looked at', async () => {
    const { identity } = log;
    const publicKeys = ['registry.example+00000000+CAAA', ...identity.publicKeys];
    const source = { ...log.source, identity: async () => ({ ...identity, publicKeys }) };
    const past = new MemoryLogStore();
    expect(await verifyAgainst(source, past)).toMatchObject({ otherKeys: [] });
    expect(past.stored?.keys).toEqual(identity.publicKeys);
  });
});

describe('a changed past', () => {
  it('is reported as signed if it is', async () => {
    log.replace(100);
    await expect(sight()).rejects.toThrow(/the served tree is not the signed one\): the entry at place 100/);
    log.publish();
    await expect(sight()).rejects.toThrow(/both are signed\): the entry at place 100/);
  });

  it('is not refuted by damage on the local disk, which is repaired', async () => {
    const right = new Map(seen.tiles);
    for (const number of [0, 1, 2]) seen.tiles.set(number, Buffer.alloc(256 * 32));
    expect(await sight()).toMatchObject({ size: SIZE });
    expect(seen.tiles).toEqual(right);
    seen.tiles.delete(1);
    // Faults of the registry are still reported.
    log.entries[300] = log.entries[301] as string;
    await expect(sight()).rejects.toThrow(/^The entry at place 300 .* was changed: its hash/);
    log.replace(100);
    log.publish();
    seen.tiles.set(0, Buffer.alloc(256 * 32));
    await expect(sight()).rejects.toThrow();
    await expect(sight()).rejects.not.toThrow(/does not begin with/);
  });

  it('is still known after a log that was cut', async () => {
    const right = new Map(seen.tiles);
    while (log.entries.length > 50) log.remove(50);
    log.publish();
    await expect(sight()).rejects.toThrow(/^The log was cut: it had 600 entries and has 50/);
    expect(seen.tiles).toEqual(right);
  });
});
