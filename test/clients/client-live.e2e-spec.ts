import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EpochChanged, RegistryClient, type Wait } from 'asset-registry-client';
import { publish } from '../support/assets.js';
import { copies, type TestCopy, type TestCopyKind } from '../support/copies.js';
import { databases, type TestDatabase, type TestDatabaseKind } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { TestRegistry } from '../support/registry.js';
import { expectSame } from '../support/same-copy.js';
import { syncCommand } from '../support/sync-command.js';
import { SyncProcess } from '../support/sync-process.js';
import { until } from '../support/until.js';
import { FaultyProxy } from './faulty-proxy.js';

const [sqlite] = databases as [TestDatabaseKind];
/** In seconds. Changes that arrive within a test have not waited for a pause of an hour. */
const [HOUR, MOMENT] = [3_600, 0.1];
/** Much longer than anything takes, and shorter than a request that is never answered. */
const PROMPT_MS = 30_000;
/** The client never pauses for longer after requests that failed. */
const MINUTE_MS = 60_000;

let database: TestDatabase;
let registry: TestRegistry;
let proxy: FaultyProxy;

beforeEach(async () => {
  database = await sqlite.create();
  await migrate(database.url);
  registry = await TestRegistry.startOn(database.url);
  proxy = await FaultyProxy.open(registry.url);
  proxy.backoff = HOUR;
  await publish(registry);
});
afterEach(async () => {
  await proxy.close();
  await registry.close();
  await database.drop();
});

/** Waits until a request is pending. @param after number of earlier requests */
const untilWaiting = (after = 0): Promise<void> => until(() => proxy.came > after && proxy.pending === 1);
const came = (count: number): Promise<void> => until(() => proxy.came >= count);

async function restart(): Promise<void> {
  await registry.close();
  registry = await TestRegistry.startOn(database.url);
  proxy.target = registry.url;
}

/** Replaces the registry by another one. */
async function replaced(work: () => Promise<void>): Promise<void> {
  const other = await TestRegistry.start(sqlite);
  await publish(other);
  proxy.target = other.url;
  await registry.close();
  await work();
  await other.stop();
}

describe('the client at the end of the feed', () => {
  let client: RegistryClient;
  let given: AbortController;
  let waits: Wait[];
  let seen: string[];
  let followed: Promise<void>;
  /** Called at the end of the feed, while no request is under way. */
  let whenCaughtUp: () => void;

  const follow = async (): Promise<void> => {
    for await (const change of client.changes({ follow: true })) {
      seen.push(change.id);
      change.ack();
    }
  };
  /** A change is seen. */
  const expectChange = async (): Promise<void> => {
    const { id } = await publish(registry);
    await until(() => seen.includes(id));
  };
  const pauses = (): Wait[] => waits.filter(({ reason, isLive }) => reason === 'caught up' && !isLive);

  beforeEach(() => {
    [waits, seen, given] = [[], [], new AbortController()];
    whenCaughtUp = () => undefined;
    const onWait = (wait: Wait): void => {
      waits.push(wait);
      if (wait.reason === 'caught up') whenCaughtUp();
    };
    client = new RegistryClient(proxy.url, { retries: 100, signal: given.signal, onWait });
  });
  /** As most tests go on forever. */
  const begin = (): void => {
    followed = follow();
    followed.catch(() => undefined);
  };
  afterEach(async () => {
    given.abort(new Error('enough'));
    await followed.catch(() => undefined);
    await client.close();
  });

  it('gets a change as it is made', async () => {
    begin();
    for (let i = 0; i < 2; i++) {
      await untilWaiting(i);
      await expectChange();
    }
    expect([seen.length, pauses(), client.isLive]).toEqual([3, [], true]);
  });

  it('polls at the registry’s interval if the registry does not delay requests, and long-polls as soon as it does', async () => {
    [proxy.treatment, proxy.backoff] = ['ignore', MOMENT];
    begin();
    await came(2);
    await expectChange();
    expect(pauses().filter(({ ms }) => ms > MOMENT * 1_000)).toEqual([]);
    whenCaughtUp = () => void ([proxy.treatment, proxy.backoff] = ['pass', HOUR]);
    await until(() => proxy.backoff === HOUR);
    await untilWaiting();
    await expectChange();
  });

  it('misses nothing through a proxy that cuts waiting requests', async () => {
    [proxy.treatment, proxy.backoff] = ['cut', MOMENT];
    begin();
    await came(2);
    await expectChange();
    expect(waits.map(({ reason }) => reason)).not.toContain('connection');
  });

  it('continues after the registry restarts during a wait', async () => {
    begin();
    await untilWaiting();
    await restart();
    await expectChange();
    expect(pauses().filter(({ ms }) => ms > MINUTE_MS)).toEqual([]);
  });

  it('gets nothing of another history that begins during a wait', async () => {
    begin();
    await untilWaiting();
    await replaced(() => expect(followed).rejects.toThrow(EpochChanged));
    expect(seen).toHaveLength(1);
  });

  it('leaves no request open when it is aborted during a wait', async () => {
    proxy.treatment = 'stall';
    begin();
    await untilWaiting();
    const at = performance.now();
    given.abort(new Error('enough'));
    await expect(followed).rejects.toThrow('enough');
    await until(() => proxy.pending === 0);
    expect(performance.now() - at).toBeLessThan(PROMPT_MS);
  });
});

describe('registry-sync --follow', () => {
  let copy: TestCopy;
  let runner: SyncProcess;

  const statusOf = async (): Promise<{ follows: string | null }> =>
    JSON.parse((await syncCommand('status', copy.target, '--json')).stdout) as { follows: string | null };
  /** A change is in the copy. */
  const expectChange = async (): Promise<void> => {
    const { id } = await publish(registry);
    await until(async () => (await copy.documents()).has(id));
  };

  beforeEach(async () => {
    copy = await (copies[0] as TestCopyKind).create();
    runner = SyncProcess.start([proxy.url, '--to', copy.target, '--follow']);
  });
  afterEach(async () => {
    await runner.kill('SIGKILL');
    await copy.drop();
  });

  it('copies a change as it is made, also after a restart, and says that it is live', async () => {
    await untilWaiting();
    const first = proxy.came;
    await expectChange();
    await untilWaiting(first);
    await restart();
    await expectChange();
    await runner.progressLine(({ follows, behindSeconds }) => follows === 'live' && behindSeconds === 0);
    // If requests came before the registry listened again, this takes until the next wait ends.
    await until(async () => (await statusOf()).follows === 'live');
    await expect(statusOf()).resolves.toMatchObject({ behindAssets: 0, behindSeconds: 0 });
    await expectSame(copy, registry);
  });

  it('stops at once at SIGTERM during a wait, and stores its position', async () => {
    proxy.treatment = 'stall';
    await untilWaiting();
    const at = performance.now();
    const { code, stdout } = await runner.kill('SIGTERM');
    expect(performance.now() - at).toBeLessThan(PROMPT_MS);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^1 asset written; .* has the feed up to 20/)]);
    expect((await syncCommand(registry.url, '--to', copy.target)).stdout).toMatch(/^0 assets written/);
  });

  it('polls a registry that does not keep requests waiting, and reports that', async () => {
    [proxy.treatment, proxy.backoff] = ['ignore', MOMENT];
    await runner.progressLine(({ follows }) => follows === 'polling');
    await came(2);
    await expectChange();
    await until(async () => /^followed +by polling$/m.test((await syncCommand('status', copy.target)).stdout));
  });
});
