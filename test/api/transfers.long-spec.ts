import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, change, type Owned, publish, read } from '../support/assets.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { type Reply, TestRegistry } from '../support/registry.js';
import { addKey, runSql } from '../support/rows.js';

const ASSETS_HANDED = 10;
/** On each database. */
const TRANSFERS = Number(process.env['TRANSFERS'] ?? 1_500);

/** An asset on its way through many hands. */
interface Handed {
  owned: Owned;
  /** Names of its owners, the first one too. */
  owners: string[];
  /** Every owner token that it has ever had, the living one last. */
  tokens: string[];
}

describe.each(databases)(`${TRANSFERS} transfers for which brokers race on $name`, (kind) => {
  let services: TestRegistry[];
  let keys: Map<string, string>;
  const assets: Handed[] = [];
  /** What became of each race: how many got the asset. */
  const winners = new Map<number, number>();
  let asked = 0;

  /** Where it is 503, as on a busy machine, it is asked again: with the same key, so that nothing is taken over twice. */
  const send = async (id: string, action: string, key: string | undefined, access: object): Promise<Reply> => {
    const headers = { 'Idempotency-Key': randomUUID() };
    // By the same service, which does one after the other: a new code has no such key.
    const service = services[asked++ % services.length] as TestRegistry;
    for (;;) {
      const sent = { method: 'POST', key: key ?? '', headers, body: { access } };
      const reply = await service.send(`${ASSETS}/${id}/${action}`, sent);
      if (reply.status !== 503) return reply;
    }
  };

  /** Its owner gives the asset away, two others want it, and the owner goes on changing it meanwhile. */
  async function race({ owned: { id }, owners, tokens }: Handed): Promise<void> {
    const [owner, token] = [owners.at(-1) as string, tokens.at(-1) as string];
    const others = [...keys.keys()].filter((name) => name !== owner);
    const given = await send(id, 'transfer', keys.get(owner), { token });
    const { transfer } = given.json.access as { transfer: string };
    const replies = await Promise.all([
      ...others.map((name) => send(id, 'ownership', keys.get(name), { transfer })),
      changeOf(id, token, owner),
    ]);
    const won = others.filter((_, i) => replies[i]?.status === 200);
    winners.set(won.length, (winners.get(won.length) ?? 0) + 1);
    for (const name of won) {
      owners.push(name);
      tokens.push((replies[others.indexOf(name)] as Reply).json.access.token as string);
    }
  }

  function changeOf(id: string, token: string, owner: string, data: object = { title: token }): Promise<Reply> {
    const headers = { 'X-Access-Token': token };
    const service = services[asked++ % services.length] as TestRegistry;
    return service.send(`${ASSETS}/${id}`, { method: 'PATCH', key: keys.get(owner) ?? '', headers, body: { data } });
  }

  beforeAll(async () => {
    services = await start(kind);
    const [service] = services as [TestRegistry];
    keys = new Map([
      ['broker', 'broker'],
      ['broker2', 'broker2'],
      ['third', await addKey(service, { account: 'third' })],
    ]);
    for (let i = 0; i < ASSETS_HANDED; i++) {
      const owned = await publish(service);
      assets.push({ owned, owners: ['broker'], tokens: [owned.token] });
    }
    const rounds = Math.ceil(TRANSFERS / ASSETS_HANDED);
    const handOn = async (handed: Handed): Promise<void> => {
      for (let round = 0; round < rounds; round++) await race(handed);
    };
    await Promise.all(assets.map(handOn));
  }, 600_000);
  afterAll(async () => {
    for (const service of services.toReversed()) await service.close();
    await services[0]?.drop();
  });

  it('have one winner each', () => {
    expect(winners).toEqual(new Map([[1, Math.ceil(TRANSFERS / ASSETS_HANDED) * ASSETS_HANDED]]));
  });

  it('leave each asset with one owner and one living token', async () => {
    const [service] = services as [TestRegistry];
    for (const { owned, owners, tokens } of assets) {
      const owner = owners.at(-1) as string;
      expect((await read(service, owned)).json.data.owner).toBe(owner);
      const living: string[] = [];
      for (const token of tokens) if ((await changeOf(owned.id, token, owner, {})).status === 200) living.push(token);
      expect(living).toEqual(tokens.slice(-1));
      for (const other of [...keys.keys()].filter((name) => name !== owner)) {
        const [token] = living as [string];
        expect((await change(service, { ...owned, token }, {}, keys.get(other))).status).toBe(403);
      }
    }
  }, 600_000);

  it('are all in the histories, one after the other, and leave no code', async () => {
    const [service] = services as [TestRegistry];
    for (const { owned, owners } of assets) {
      const known: string[] = [];
      for (let path = `${ASSETS}/${owned.id}/history?limit=1000`; ;) {
        const { data, next_page: next } = (await service.send(path)).json;
        if (data.length === 0) break;
        known.push(...(data as { owner?: string }[]).flatMap(({ owner }) => owner ?? []));
        path = next.path;
      }
      expect(known).toEqual(owners.slice(1));
    }
    expect(await runSql(service, 'SELECT id FROM transfer_code')).toEqual([]);
  });
});

/** Two services where the database has room for them, so that they race in the database as well. */
async function start(kind: TestDatabaseKind): Promise<TestRegistry[]> {
  const first = await TestRegistry.start(kind);
  return kind.name === 'SQLite' ? [first] : [first, await TestRegistry.startOn(first.databaseUrl)];
}
