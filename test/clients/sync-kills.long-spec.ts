import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { findFreePort } from '../../scripts/machine/free-port.js';
import { ASSETS, assetBody } from '../support/assets.js';
import { copies } from '../support/copies.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { addAssets } from '../support/many-assets.js';
import { ServiceProcess } from '../support/process.js';
import { Random } from '../support/random.js';
import { sendTo } from '../support/registry.js';
import { syncCommand } from '../support/sync-command.js';
import { type SyncEnded, SyncProcess } from '../support/sync-process.js';

const RUN_MS = 10 * 60_000;
const KILLS = Number(process.env.SYNC_KILLS ?? 6);
const ASSETS_AT_FIRST = 10_000;

/** The same seed makes the same choices; SYNC_SEED repeats a run that failed. */
const seed = Number(process.env.SYNC_SEED ?? randomInt(2 ** 31));

/** Longest life of a runner before it is killed; it needs a third of a second to start. */
const LONGEST_LIFE_MS = 1_200;
const SHARE_OF_SERVICE_KILLS = 0.3;
const PAUSE_MS = 5;

/** A service that is killed and started again, with a client that constantly changes assets. */
class KilledService {
  private constructor(
    private service: ServiceProcess,
    private readonly env: Record<string, string>,
  ) {}

  static async start(databaseUrl: string): Promise<KilledService> {
    const env = { DATABASE_URL: databaseUrl, PORT: String(await findFreePort()) };
    return new KilledService(await ServiceProcess.start(env), env);
  }

  get url(): string {
    return this.service.url;
  }

  async killAndStart(): Promise<void> {
    await this.service.kill('SIGKILL');
    this.service = await ServiceProcess.start(this.env);
  }

  async stop(): Promise<void> {
    await this.service.kill('SIGTERM');
  }

  /** Creates and publishes until `isOver`; requests that fail while the service is down are not repeated. */
  async write(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.publishOne().catch(() => undefined);
      await sleep(PAUSE_MS);
    }
  }

  async publishOne(): Promise<void> {
    const { json } = await sendTo(this.url, ASSETS, { method: 'POST', key: 'broker', body: assetBody() });
    const headers = { 'X-Access-Token': (json as { access: { token: string } }).access.token };
    const path = `${ASSETS}/${(json as { data: { id: string } }).data.id}`;
    await sendTo(this.url, path, { method: 'PATCH', key: 'broker', headers, body: { data: { status: 'pending' } } });
  }
}

/** Kills runner and service while they copy, again and again. */
class Kills {
  done = 0;

  constructor(
    private readonly service: KilledService,
    private readonly random: Random,
  ) {}

  /** Until one runner has lived long enough; when all kills are done, that is the next one, however slow the machine is. */
  async copyTo(target: string): Promise<void> {
    const words = [['--no-snapshot'], ['--newest-first'], [], []][this.random.int(0, 3)] as string[];
    for (;;) {
      const runner = SyncProcess.start([this.service.url, '--to', target, ...words]);
      const life = sleep(this.random.int(0, LONGEST_LIFE_MS));
      const ended = await (this.done >= KILLS ? runner.end : Promise.race([runner.end, life]));
      if (ended !== undefined) return expectGood(ended);
      this.done++;
      if (this.random.chance(SHARE_OF_SERVICE_KILLS)) {
        // The runner waits for the service, or continues with pages if the snapshot was cut; it may be killed as well.
        await this.service.killAndStart();
        if (this.random.chance(0.5)) return expectGood(await runner.end);
        this.done++;
      }
      await runner.kill('SIGKILL');
    }
  }
}

function expectGood({ code, stderr }: SyncEnded): void {
  if (code !== 0) throw new Error(`registry-sync ended with ${code}: ${stderr}`);
}

/** The sums, and then every document. */
async function differencesOf(url: string, target: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const words of [[], ['--documents']]) {
    const { code, stdout, stderr } = await syncCommand('verify', url, target, '--json', ...words);
    if (code !== 0) throw new Error(`registry-sync verify ended with ${code}: ${stderr}`);
    all.push(...(JSON.parse(stdout) as { differences: unknown[] }).differences);
  }
  return all;
}

describe(`while runner and service are killed (SYNC_SEED=${seed})`, () => {
  it.each(copies)(
    'every copy becomes equal to the registry in $name',
    async ({ create }) => {
      const registry = await (databases[0] as TestDatabaseKind).create();
      const service = await KilledService.start(registry.url);
      await service.publishOne();
      await addAssets(registry.url, ASSETS_AT_FIRST);
      const kills = new Kills(service, new Random(seed));
      let isOver = false;
      const writing = service.write(() => isOver);
      try {
        while (kills.done < KILLS) {
          const copy = await create();
          await kills.copyTo(copy.target);
          expect(await differencesOf(service.url, copy.target)).toEqual([]);
          await copy.drop();
        }
      } finally {
        isOver = true;
        await writing;
        await service.stop();
        await registry.drop();
      }
    },
    RUN_MS,
  );
});
