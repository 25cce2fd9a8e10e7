import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { instantUs } from '../faults/content.js';
import { ASSETS, publish } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { follow } from '../support/pages.js';
import { retryUnavailable } from '../support/retry-unavailable.js';
import { ServiceProcess } from '../support/process.js';
import { Random } from '../support/random.js';
import { type Reply, type Sender, sendTo } from '../support/registry.js';
import { runSql } from '../support/rows.js';

const KILLS = 2;
const RIVALS = 6;
const POOL = 40;
const MAX_OF_GROUP = 30;
const ACKNOWLEDGED_BEFORE_KILL = 15;

/** Present states that begin with a change, of which the revision before them is not there or another one. */
const BROKEN_SQL = `SELECT state.id FROM asset state LEFT JOIN revision previous
  ON previous.until_us = state.modified_us AND previous.asset = state.id AND previous.version = state.version - 1
  WHERE state.version > 1 AND previous.until_us IS NULL`;

/** Assets that were sent to a lot of their own as one, in this order. */
interface Group {
  ids: readonly string[];
  isAcknowledged: boolean;
}

interface Shown {
  id: string;
  dateModified: string;
  relatedLot?: string;
}

/** @returns groups that one state of the feed shows partly; a group's instants are consecutive, so no member may be older than its own */
function halfGroups(moment: readonly Shown[], groups: ReadonlyMap<string, Group>): string[] {
  const instants = new Map(moment.map(({ id, dateModified }) => [id, instantUs(dateModified)]));
  return moment.flatMap(({ id, relatedLot: lot = '' }) => {
    const ids = groups.get(lot)?.ids ?? [];
    const firstUs = (instants.get(id) ?? NaN) - ids.indexOf(id);
    const behind = ids.filter((member, i) => !((instants.get(member) ?? NaN) >= firstUs + i));
    return behind.map((member) => `lot ${lot} has ${id} and not ${member}`);
  });
}

describe.each(databases)(`groups that rivals link under ${KILLS} kill -9 on $name`, (kind) => {
  let database: TestDatabase;
  let service: ServiceProcess | undefined;
  const sender: Sender = { send: (path, options) => sendTo(service?.url ?? '', path, options) };
  const ids: string[] = [];
  const groups = new Map<string, Group>();
  const faults: string[] = [];

  const start = async (): Promise<void> => {
    service = await ServiceProcess.start({ DATABASE_URL: database.url });
  };

  /** Links random groups until the service stops answering. */
  async function link(random: Random, done: () => void): Promise<void> {
    for (;;) {
      const lot = (groups.size + 1).toString(16).padStart(32, '0');
      const share = random.next() * (MAX_OF_GROUP / POOL);
      const members = ids.filter(() => random.chance(share)).reverse();
      if (members.length === 0) continue;
      const group: Group = { ids: members, isAcknowledged: false };
      groups.set(lot, group);
      const body = { data: members.map((id) => ({ id, relatedLot: lot })) };
      try {
        const { status } = await sender.send(ASSETS, { method: 'PATCH', key: 'concierge', body });
        // It refuses after a long stall of the machine.
        group.isAcknowledged = status === 200;
        if (group.isAcknowledged) done();
      } catch {
        return;
      }
    }
  }

  /** One page has all assets, and is of one moment. */
  async function look(): Promise<Reply> {
    const reply = await sender.send(`${ASSETS}?limit=1000&descending=1&opt_fields=relatedLot`);
    if (reply.status === 200) faults.push(...halfGroups(reply.json.data as Shown[], groups));
    return reply;
  }

  async function lookOn(): Promise<void> {
    for (;;) {
      try {
        await look();
      } catch {
        return;
      }
    }
  }

  beforeAll(async () => {
    database = await kind.create();
    await migrate(database.url);
    await start();
    const random = new Random(KILLS);
    for (let i = 0; i < POOL; i++) ids.push((await publish(sender)).id);
    for (let round = 0; round < KILLS; round++) {
      let left = ACKNOWLEDGED_BEFORE_KILL;
      let enough = (): void => undefined;
      const killed = new Promise<void>((resolve) => (enough = resolve)).then(() => service?.kill('SIGKILL'));
      const rivals = Array.from({ length: RIVALS }, () => link(random.fork(), () => --left === 0 && enough()));
      await Promise.all([killed, lookOn(), ...rivals]);
      await start();
      await retryUnavailable(look);
    }
  });
  afterAll(async () => {
    await service?.kill('SIGTERM');
    await database?.drop();
  });

  it('are seen as a whole or not at all', () => expect(faults).toEqual([]));

  it('are in the histories as a whole or not at all, and no acknowledged one is missing', async () => {
    const kept = new Map<string, number>();
    for (const id of ids) {
      const states = await follow<Shown>(sender, `${ASSETS}/${id}/history?limit=1000`);
      for (const lot of new Set(states.map(({ relatedLot = '' }) => relatedLot)))
        kept.set(lot, (kept.get(lot) ?? 0) + 1);
    }
    const wrong = [...groups].filter(([lot, { ids: members, isAcknowledged }]) => {
      const count = kept.get(lot) ?? 0;
      return count !== members.length && (count !== 0 || isAcknowledged);
    });
    expect(wrong).toEqual([]);
    const acknowledged = [...groups.values()].filter(({ isAcknowledged }) => isAcknowledged);
    expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS * ACKNOWLEDGED_BEFORE_KILL);
  });

  it('leave no gap in a history, and no trace of a change that was not committed', async () => {
    const of = { databaseUrl: database.url };
    expect(await runSql(of, BROKEN_SQL)).toEqual([]);
    const sql = 'SELECT (SELECT COUNT(*) FROM revision) AS revisions, (SELECT SUM(version - 1) FROM asset) AS changes';
    const [counted] = (await runSql(of, sql)) as { revisions: unknown; changes: unknown }[];
    expect(Number(counted?.revisions)).toBe(Number(counted?.changes));
  });
});

it('halfGroups reports a group of which a page shows one asset in its earlier state', () => {
  const groups = new Map([['lot', { ids: ['b', 'a'], isAcknowledged: true }]]);
  const at = (second: number): string => `2026-10-25T00:00:00.00000${second}+00:00`;
  const linked = [
    { id: 'b', dateModified: at(3), relatedLot: 'lot' },
    { id: 'a', dateModified: at(4), relatedLot: 'lot' },
  ];
  expect(halfGroups(linked, groups)).toEqual([]);
  expect(halfGroups([linked[0] as Shown, { id: 'a', dateModified: at(1) }], groups)).toEqual([
    'lot lot has b and not a',
  ]);
  expect(halfGroups([linked[0] as Shown], groups)).toEqual(['lot lot has b and not a']);
});
