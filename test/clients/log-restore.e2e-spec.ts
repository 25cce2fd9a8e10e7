import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newLogKey } from '../../src/log/log-keys.js';
import { change, publish } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabase, type TestDatabaseKind } from '../support/databases.js';
import { checkpointOf, LOG, readCheckpoint } from '../support/log-reader.js';
import { migrate } from '../support/migrated.js';
import { TestRegistry } from '../support/registry.js';
import { syncCommand } from '../support/sync-command.js';

const REFUTED = 6;
const LOG_KEY = newLogKey('registry.example.org/log');

/** A CDN that caches immutable answers forever, even if its origin changes. */
class Cdn {
  private readonly cached = new Map<string, Buffer>();

  /** @param target the registry, `http://…`; another one may take its place */
  private constructor(
    public target: string,
    private readonly server: Server,
  ) {
    server.on('request', ({ url = '' }, response) => void this.answer(url, response));
  }

  static async open(target: string): Promise<Cdn> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Cdn(target, server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async answer(path: string, response: ServerResponse): Promise<void> {
    const cached = this.cached.get(path);
    if (cached !== undefined) return void response.end(cached);
    const reply = await fetch(this.target + path);
    const body = Buffer.from(await reply.arrayBuffer());
    if (reply.headers.get('Cache-Control')?.includes('immutable')) this.cached.set(path, body);
    const headers = ['Content-Type', 'Feed-Epoch'].map((name) => [name, reply.headers.get(name) ?? '']);
    response.writeHead(reply.status, Object.fromEntries(headers)).end(body);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe('a registry', () => {
  let folder: string;
  let database: TestDatabase;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'log-restore-'));
    database = await (databases[0] as TestDatabaseKind).create();
    await migrate(database.url);
  });
  afterEach(async () => {
    await database.drop();
    await rm(folder, { recursive: true });
  });

  it('that was restored is refused by a mirror behind a CDN, with the lost entries, until that is accepted', async () => {
    const [backup, copy] = [join(folder, 'backup.sqlite'), `sqlite:${join(folder, 'copy.sqlite')}`];
    const env = { DATABASE_URL: database.url };
    let registry = await TestRegistry.startOn(database.url, { LOG_KEY });
    const { id } = await publish(registry);
    for (let i = 0; i < 2; i++) await publish(registry);
    await checkpointOf(registry, 3);
    expect(await command(['backup', backup], env)).toMatchObject({ code: 0 });
    // To be erased again by the restore, which has no entry of that.
    const redact = ['redact', id, '--field', '/title', '--reason', 'because', '--yes', 'registry.sqlite'];
    expect(await command(redact, env)).toMatchObject({ code: 0 });
    await checkpointOf(registry, 4);
    const cdn = await Cdn.open(registry.url);
    expect(await syncCommand(cdn.url, '--to', copy, '--log')).toMatchObject({ code: 0 });
    expect(await syncCommand('verify', cdn.url, copy)).toMatchObject({ code: 0 });
    const old = (await readCheckpoint(registry)).origin.split('/').at(-1);
    expect((await registry.send(`${LOG}/${old}/tile/0/000.p/4`)).status).toBe(200);
    await registry.close();
    const replacing = ['restore', backup, '--replace', '--yes', 'registry.sqlite'];
    expect(await command([...replacing, '--after', new Date().toISOString()], env)).toMatchObject({ code: 0 });
    registry = await TestRegistry.startOn(database.url, { LOG_KEY });
    cdn.target = registry.url;
    try {
      await publish(registry);
      // Until it has signed under its new epoch, there is no checkpoint.
      await checkpointOf(registry, 4);
      for (const path of ['checkpoint', 'tile/0/000.p/4', 'assets'])
        expect((await registry.send(`${LOG}/${old}/${path}`)).status).toBe(404);
      expect(await syncCommand(cdn.url, '--to', copy, '--resync')).toMatchObject({ code: 0 });
      const verify = (...words: string[]) => syncCommand('verify', cdn.url, copy, ...words);
      const refused = await verify();
      expect([refused.code, refused.stderr]).toEqual([
        REFUTED,
        expect.stringContaining('1 verified entries, from place 3 on, are missing'),
      ]);
      // A trial changes nothing.
      expect(await verify('--dry-run', '--accept-restore')).toMatchObject({ code: 0 });
      expect(await verify()).toMatchObject({ code: REFUTED });
      expect(await verify('--accept-restore')).toMatchObject({ code: 0 });
      expect(await verify()).toMatchObject({ code: 0 });
    } finally {
      cdn.close();
      await registry.close();
    }
  });

  it('with another TIME_ZONE is the same to a mirror', async () => {
    const copy = `jsonl:${join(folder, 'copy')}`;
    let registry = await TestRegistry.startOn(database.url, { LOG_KEY });
    try {
      const owned = await publish(registry);
      await change(registry, owned, { title: 'two' });
      await publish(registry);
      await checkpointOf(registry, 3);
      expect(await syncCommand(registry.url, '--to', copy, '--log')).toMatchObject({ code: 0 });
      await registry.close();
      registry = await TestRegistry.startOn(database.url, { LOG_KEY, TIME_ZONE: 'America/New_York' });
      for (const words of [['--dry-run'], [], ['--documents']]) {
        const verified = await syncCommand('verify', registry.url, copy, '--json', ...words);
        expect([verified.code, JSON.parse(verified.stdout)]).toEqual([
          0,
          expect.objectContaining({
            differences: [],
            isSame: true,
            log: expect.objectContaining({ assets: 2, keptOtherwise: 0, faults: [] }),
          }),
        ]);
      }
    } finally {
      await registry.close();
    }
  });
});
