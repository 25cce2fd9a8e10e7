import { describe, expect, it } from '@jest/globals';
import { openLogStore, type VerifiedHead } from '../../clients/sync/src/copies/log-store.js';
import { readTarget } from '../../clients/sync/src/copies/target.js';
import { verifiedRoot } from '../../clients/sync/src/verifying/log/past.js';
import { copies } from '../support/copies.js';
import type { FakeLog } from '../support/fake-log.js';
import { FakeLogRegistry } from '../support/fake-log-registry.js';
import { syncCommand } from '../support/sync-command.js';
import { SyncProcess } from '../support/sync-process.js';

const ASSETS = 300;
const REFUTED = 6;
const RUN_MS = 10 * 60_000;

/* What log-verify-kills.spec.ts does at each write of a verification in memory, with real processes: they are killed at each request. */

describe('a verification that was killed', () => {
  it.each(copies)(
    'left a sound state in $name, and the next one succeeds',
    async ({ create }) => {
      const copy = await create();
      const registry = await new FakeLogRegistry().start();
      const verify = () => syncCommand('verify', registry.url, copy.target);
      try {
        for (let i = 0; i < ASSETS; i++) registry.add();
        registry.log?.publish();
        expect(await syncCommand(registry.url, '--to', copy.target, '--log')).toMatchObject({ code: 0 });
        let seen: number | undefined;
        let points = 0;
        for (let request = 1; await isKilledAt(request, registry, copy.target); request++, points++) {
          const head = await soundHead(copy.target);
          expect([seen, registry.log?.size]).toContain(head?.size);
          if (head !== undefined) expect(await whileChanged(registry, 17, verify)).toMatchObject({ code: REFUTED });
          expect(await soundHead(copy.target)).toEqual(head);
          expect(await verify()).toMatchObject({ code: 0, stdout: expect.stringContaining('is sound') });
          seen = registry.log?.size;
          registry.add();
          registry.log?.publish();
        }
        expect(points).toBeGreaterThan(1);
      } finally {
        await registry.stop();
        await copy.drop();
      }
    },
    RUN_MS,
  );
});

/** @returns false if it ended before it sent so many requests */
async function isKilledAt(request: number, registry: FakeLogRegistry, target: string): Promise<boolean> {
  const process = SyncProcess.start(['verify', registry.url, target]);
  let left = request;
  registry.asked = () => {
    if (--left === 0) process.signal('SIGKILL');
  };
  const { code } = await process.end;
  registry.asked = () => undefined;
  return code === null;
}

/** The stored head; checks that its hashes have the signed root. */
async function soundHead(target: string): Promise<VerifiedHead | undefined> {
  const seen = await openLogStore(readTarget(target));
  try {
    const head = await seen.head();
    if (head === undefined) return undefined;
    expect((await verifiedRoot(seen, head.size))?.toString('base64')).toBe(head.root);
    expect(head.note).toContain(`\n${head.root}\n`);
    expect(head.keys).toHaveLength(1);
    return head;
  } finally {
    await seen.close();
  }
}

/** While the registry serves, and has signed, another entry at a place. */
async function whileChanged<T>(registry: FakeLogRegistry, place: number, work: () => Promise<T>): Promise<T> {
  const honest = registry.log as FakeLog;
  registry.log = honest.clone().replace(place).publish();
  try {
    return await work();
  } finally {
    registry.log = honest;
  }
}
