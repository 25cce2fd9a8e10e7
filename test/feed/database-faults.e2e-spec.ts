import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import Sqlite from 'embedded-sqlite';
import { logger } from '../../src/platform/logging/logger.js';
import { ASSETS, assetBody, change, type Owned, post, publish } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { loadServiceHere } from '../support/loaded-service.js';
import { ServiceProcess } from '../support/process.js';
import { migrate } from '../support/migrated.js';
import { retryUnavailable } from '../support/retry-unavailable.js';
import { readiness } from '../support/readiness.js';
import { type Reply, type Sender, sendTo, TestRegistry } from '../support/registry.js';
import { FaultyServer } from '../support/faulty-server.js';
import { until } from '../support/until.js';

loadServiceHere();

/* Alone on a quiet machine these take 7.5 s and 50 ms; here other tests run at the same time. */
const LONGEST_MS = 30_000;
const AT_ONCE_MS = 1_000;
/** It takes a second; after a failed attempt the others wait for eight. */
const OVER_MS = 6_000;
const ROUNDS = 6;

/** A fault of a database, and whether reads still work meanwhile. */
interface Fault {
  name: string;
  readsGoOn: boolean;
  /** The reason in readiness and the log. */
  why: RegExp;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

interface Timed {
  reply: Reply;
  ms: number;
}

async function timed(request: Promise<Reply>): Promise<Timed> {
  const began = performance.now();
  return { reply: await request, ms: performance.now() - began };
}

const readsOf = (registry: Sender, { id }: Owned): Promise<Reply>[] => [
  registry.send(ASSETS),
  registry.send(`${ASSETS}/${id}`),
];
const writesOf = (registry: Sender, owned: Owned): Promise<Reply>[] => [
  registry.send(ASSETS, { method: 'POST', key: 'broker', body: assetBody() }),
  change(registry, owned, { title: `at ${performance.now()}` }),
];

function expectRefused({ reply, ms }: Timed): void {
  expectError(reply, 503, 'header', 'server');
  expect(reply.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(ms).toBeLessThan(LONGEST_MS);
}

/** The median, as the machine may be busy with other tests. */
function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;
}

/** The first write that is not kept; until then there was room. */
async function firstRefused(registry: Sender, owned: Owned): Promise<Timed> {
  for (;;) {
    const answers = await Promise.all(writesOf(registry, owned).map(timed));
    const refused = answers.find(({ reply }) => reply.status > 201);
    if (refused !== undefined) return refused;
  }
}

/** Checks that impossible requests are refused at once during a fault. */
async function expectRefusals(registry: Sender, owned: Owned, fault: Fault): Promise<void> {
  expectRefused(await firstRefused(registry, owned));
  const times: Record<'reads' | 'writes', number[]> = { reads: [], writes: [] };
  for (let i = 0; i < ROUNDS; i++) {
    for (const write of await Promise.all(writesOf(registry, owned).map(timed))) {
      expectRefused(write);
      times.writes.push(write.ms);
    }
    for (const read of await Promise.all(readsOf(registry, owned).map(timed))) {
      if (!fault.readsGoOn) expectRefused(read);
      else expect(read.reply.status).toBe(200);
      times.reads.push(read.ms);
    }
  }
  expect(median(times.writes)).toBeLessThan(AT_ONCE_MS);
  expect(median(times.reads)).toBeLessThan(AT_ONCE_MS);
}

/** Checks the readiness: while reads work the service stays ready, because every instance uses this database. */
async function expectReason(registry: Sender, { readsGoOn, why }: Fault): Promise<void> {
  const reply = await readiness(registry);
  if (readsGoOn) {
    expect(reply.json).toMatchObject({
      status: 'degraded',
      parts: { writes: expect.stringMatching(/^are refused: /) },
    });
    expect(reply.json.parts.writes).toMatch(why);
  } else {
    expectError(
      reply,
      503,
      'header',
      'server',
      expect.stringMatching(/^database: (?:is away|cannot be used for now): /),
    );
    expect(reply.text).toMatch(why);
  }
}

const isReported = async (registry: Sender, { readsGoOn, why }: Fault): Promise<boolean> => {
  const { status, json } = await readiness(registry);
  return readsGoOn ? why.test(json.parts?.writes ?? '') : status === 503;
};

/** Reports no trouble; an old report may stay for a second. */
const isReady = async (registry: Sender): Promise<boolean> => {
  const { status, json } = await readiness(registry);
  return status === 200 && json.parts.writes === 'ok' && !json.parts.database.startsWith('takes no new');
};

async function lastThrough(registry: Sender, fault: Fault): Promise<void> {
  const owned = await publish(registry);
  await fault.begin();
  try {
    await expectRefusals(registry, owned, fault);
    // An older report may stay for a second. If the server stalled for a moment, the next change updates it.
    while (!(await isReported(registry, fault))) await change(registry, owned, { title: 'asked again' });
    await expectReason(registry, fault);
  } finally {
    await fault.end();
  }
  const deadline = performance.now() + OVER_MS;
  for (let status = 0; status !== 200;) {
    // The machine may stall for longer than that, so only requests sent after the deadline must succeed.
    const askedMs = performance.now();
    ({ status } = await change(registry, owned, { title: 'over' }));
    if (status !== 200 && askedMs > deadline) throw new Error(`Long after it was over, a change is ${status}`);
  }
  expect((await registry.send(`${ASSETS}/${owned.id}`)).json.data.title).toBe('over');
  await until(() => isReady(registry));
}

/** Level, message and reason of each line that is no request's, from now on. */
function linesOfLog(): unknown[][] {
  const lines: unknown[][] = [];
  for (const level of ['info', 'warn', 'error'] as const) {
    const keep = (members: object, message: string): void => {
      if (!('requestId' in members)) lines.push([level, message, 'reason' in members ? members.reason : undefined]);
    };
    jest.spyOn(logger, level).mockImplementation(keep as typeof logger.info);
  }
  return lines;
}

describe('the database server', () => {
  let server: FaultyServer | undefined;
  let registry: TestRegistry;
  const faults: Fault[] = [
    {
      name: 'is read-only',
      readsGoOn: true,
      why: /it is read-only/,
      begin: () => server?.setReadOnly(true),
      end: () => server?.setReadOnly(false),
    },
    {
      name: 'blocks all writes',
      readsGoOn: true,
      why: /its tables or rows are locked/,
      begin: () => server?.lockForBackup(),
      end: () => server?.unlockTables(),
    },
    {
      name: 'has no connection left',
      readsGoOn: false,
      why: /no connection left/,
      begin: () => server?.exhaustConnections(),
      end: () => server?.releaseConnections(),
    },
  ];

  beforeAll(async () => {
    server = await FaultyServer.start();
    if (server === undefined) {
      console.warn('NOT TRIED: no dedicated server on this machine');
      return;
    }
    await migrate(server.url);
    registry = await TestRegistry.startOn(server.url);
  });
  afterAll(async () => {
    await registry?.stop();
    await server?.stop();
  });

  it.each(faults)(
    'that $name makes requests that need it 503 at once, until the fault ends; the log has one line for each',
    async (fault) => {
      if (server === undefined) return;
      const lines = linesOfLog();
      await lastThrough(registry, fault);
      const [begun, over] = fault.readsGoOn
        ? ['the database takes no changes', 'the database takes changes again']
        : ['the database is away', 'the database is in use'];
      await until(() => lines.some(([, message]) => message === over));
      jest.restoreAllMocks();
      // On a busy machine the connections that a server ends are seen before it refuses new ones.
      const why = new RegExp(`${fault.why.source}|^the connection breaks$`);
      // A server that stalls for half a second reports the lock time-out too late.
      const first = lines.find(([level, , reason]) => level === 'warn' && reason !== 'it does not answer in time');
      expect(first).toEqual(['warn', begun, expect.stringMatching(why)]);
      // Two lines, unless the machine stalls for seconds; there were more than twenty requests.
      expect(lines.length).toBeLessThanOrEqual(10);
    },
  );

  it('makes writes that need a table locked elsewhere 503, and answers all others', async () => {
    if (server === undefined) return;
    const owned = await publish(registry);
    await server.lockTable('revision');
    try {
      expectRefused(await timed(change(registry, owned, { title: 'blocked' })));
      expect((await retryUnavailable(() => post(registry, assetBody()))).status).toBe(201);
    } finally {
      await server.unlockTables();
    }
    expect((await retryUnavailable(() => change(registry, owned, { title: 'over' }))).status).toBe(200);
  });

  it('that restarts again and again is used again each time', async () => {
    if (server === undefined) return;
    const owned = await publish(registry);
    for (let i = 0; i < 2; i++) {
      let isOver = false;
      const restarted = server.restart().finally(() => (isOver = true));
      while (!isOver) {
        for (const { reply, ms } of await Promise.all(
          [...readsOf(registry, owned), ...writesOf(registry, owned)].map(timed),
        )) {
          expect(ms).toBeLessThan(LONGEST_MS);
          if (reply.status > 201) expectError(reply, 503, 'header', 'server');
        }
      }
      await restarted;
      while ((await change(registry, owned, { title: `restart ${i}` })).status !== 200);
      expect((await registry.send(`${ASSETS}/${owned.id}`)).json.data.title).toBe(`restart ${i}`);
    }
  });

  // The last, as such a server takes its time to find the room again.
  it('that is full makes writes 503 at once, until it is over', async () => {
    if (server === undefined) return;
    const spoiled = server;
    await lastThrough(registry, {
      name: 'is full',
      readsGoOn: true,
      why: /disk is full/,
      begin: () => spoiled.fill(),
      end: () => spoiled.freeSpace(),
    });
  });
});

describe('a SQLite file', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let registry: Sender;
  let other: Sqlite.Database;
  const limitFiles = (bytes: number | 'unlimited'): void => {
    execFileSync('prlimit', ['--pid', String(service.pid), `--fsize=${bytes}:unlimited`]);
  };
  const faults: Fault[] = [
    {
      name: 'that cannot grow',
      readsGoOn: true,
      why: /disk/,
      begin: () => limitFiles(1024),
      end: () => limitFiles('unlimited'),
    },
    {
      name: 'that another process writes to and does not let go of',
      readsGoOn: true,
      why: /another process has locked its file/,
      begin: () => void other.exec('BEGIN IMMEDIATE'),
      end: () => void other.exec('ROLLBACK'),
    },
  ];

  beforeAll(async () => {
    database = await (databases[0] as (typeof databases)[0]).create();
    service = await ServiceProcess.start({ DATABASE_URL: database.url });
    registry = { send: (path, options) => sendTo(service.url, path, options) };
    other = new Sqlite(database.url.slice('sqlite:'.length));
  });
  afterAll(async () => {
    other?.close();
    await service?.kill('SIGKILL');
    await database?.drop();
  });

  it.each(faults)('$name makes writes 503 at once and leaves reads alone, until it is over', (fault) =>
    lastThrough(registry, fault),
  );
});
