import { connect, type Socket } from 'node:net';
import { Command, Option } from 'commander';
import { Agent, request } from 'undici';
import { decimal } from '../support/arguments.js';
import { ASSETS, assetBody, createFrom, type Owned } from '../support/assets.js';
import { largestBody } from '../support/large-asset.js';
import { head } from '../support/raw-socket.js';
import { basic, sendTo } from '../support/registry.js';
import { type OwnService, startOwnService } from './own-service.js';
import { quantile } from './quantile.js';

const DATABASES = ['sqlite', 'mariadb'] as const;
const ATTACKS = ['titles', 'endless'] as const;
const LARGE_ASSETS = 40;
const OWN_ASSETS = 20;
const SOCKETS = 160;
const TICK_MS = 20;
const READS_A_SECOND = 25;
const WRITES_A_SECOND = 8;
/** What others may wait then: writes in milliseconds, reads as a multiple of what they wait without it. */
const MOST_WRITE_MS = 2_000;
const MOST_READ_FACTOR = 5;

interface Options {
  database: (typeof DATABASES)[number];
  attack: (typeof ATTACKS)[number];
  seconds: number;
  perSecond: number;
}

/** How requests of one kind went, by their status; times in milliseconds. */
interface Went {
  times: number[];
  statuses: Map<number, number>;
}

export const greedyBrokerCommand = new Command('greedy-broker')
  .description('one broker takes what it can get, within its rate limit, while another reads and writes')
  .addOption(new Option('--database <name>').choices(DATABASES).default('sqlite'))
  .addOption(
    new Option('--attack <name>', 'titles of assets of 1 MB, or bodies without an end')
      .choices(ATTACKS)
      .default('titles'),
  )
  .option('--seconds <number>', 'of each part', decimal, 20)
  .option('--per-second <number>', 'changes of titles', decimal, 20)
  .action(run);

async function run({ database, attack, seconds, perSecond }: Options): Promise<void> {
  const service = await startOwnService(database, () => ({ RATE_LIMIT: 'on', BODY_LIMIT: '2mb' }));
  // Apart, so that nobody waits for another's connection.
  const [agent, greedy] = [new Agent(), new Agent()];
  try {
    const own: Owned[] = [];
    for (let i = 0; i < OWN_ASSETS; i++) own.push(await createFrom(senderTo(service), assetBody(), 'broker2'));
    const before = await others(service.url, agent, own, seconds);
    told('without', before);
    const attacked = attack === 'titles' ? await changeTitles(service, greedy, perSecond) : openEndless(service.url);
    const meanwhile = await others(service.url, agent, own, seconds);
    attacked.stop();
    told('meanwhile', meanwhile);
    if (attacked.went) told('the greedy one', { changes: attacked.went });
    console.log(`memory of the service: ${service.memory()} MB`);
    judge(before, meanwhile);
  } finally {
    await Promise.all([agent.destroy(), greedy.destroy()]);
    await service.stop();
  }
}

const senderTo = ({ url }: OwnService) => ({ send: (path: string, options = {}) => sendTo(url, path, options) });

type Report = Record<'reads' | 'writes', Went>;

/** Another broker's reads, creations and changes, at a fixed rate. */
async function others(url: string, agent: Agent, own: readonly Owned[], seconds: number): Promise<Report> {
  const report: Report = { reads: { times: [], statuses: new Map() }, writes: { times: [], statuses: new Map() } };
  const owned = (i: number): Owned => own[i % OWN_ASSETS] as Owned;
  const reading = atRate(READS_A_SECOND, (i) => send(url, agent, report.reads, 'GET', `${ASSETS}/${owned(i).id}`));
  const writing = atRate(WRITES_A_SECOND, (i) => {
    if (i % 2 === 0) return send(url, agent, report.writes, 'POST', ASSETS, 'broker2', assetBody());
    return change(url, agent, report.writes, owned((i - 1) / 2), 'broker2', `title ${i}`);
  });
  await new Promise((resolve) => void setTimeout(resolve, seconds * 1_000));
  await Promise.all([reading.end(), writing.end()]);
  return report;
}

async function changeTitles(
  service: OwnService,
  agent: Agent,
  perSecond: number,
): Promise<{ stop: () => void; went: Went }> {
  const assets: Owned[] = [];
  for (let i = 0; i < LARGE_ASSETS; i++) assets.push(await createFrom(senderTo(service), largestBody(), 'broker'));
  const went: Went = { times: [], statuses: new Map() };
  const load = atRate(perSecond, (i) =>
    change(service.url, agent, went, assets[i % LARGE_ASSETS] as Owned, 'broker', `title ${i}`),
  );
  return { stop: () => void load.end(), went };
}

/** Requests whose bodies never come; one that is closed is opened again. */
function openEndless(url: string): { stop: () => void; went?: Went } {
  const { hostname, port, host } = new URL(url);
  const sockets = new Set<Socket>();
  let ends = false;
  const open = (): void => {
    const socket = connect(Number(port), hostname);
    sockets.add(socket);
    const fields = [`Host: ${host}`, `Authorization: ${basic('broker')}`, 'Content-Type: application/json'];
    socket.write(`${head(`POST ${ASSETS} HTTP/1.1`, ...fields, 'Content-Length: 1000')}{`);
    socket.on('error', () => undefined).once('data', () => socket.destroy());
    socket.once('close', () => {
      sockets.delete(socket);
      if (!ends) setTimeout(open, 100);
    });
  };
  for (let i = 0; i < SOCKETS; i++) open();
  return {
    stop: () => {
      ends = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

function change(url: string, agent: Agent, went: Went, { id, token }: Owned, key: string, title: string) {
  return send(url, agent, went, 'PATCH', `${ASSETS}/${id}`, key, { access: { token }, data: { title } });
}

async function send(
  url: string,
  dispatcher: Agent,
  went: Went,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  key?: string,
  body?: object,
): Promise<void> {
  const began = performance.now();
  const headers = key === undefined ? {} : { Authorization: basic(key), 'Content-Type': 'application/json' };
  const sent = { method, headers, dispatcher, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const status = await request(url + path, sent).then(
    async (reply) => (await reply.body.arrayBuffer(), reply.statusCode),
    () => 0,
  );
  went.times.push(performance.now() - began);
  went.statuses.set(status, (went.statuses.get(status) ?? 0) + 1);
}

/** Calls `act` so many times a second, whether the earlier ones are over or not. */
function atRate(perSecond: number, act: (number: number) => Promise<void>): { end: () => Promise<void> } {
  const underWay = new Set<Promise<void>>();
  const began = performance.now();
  let begun = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1_000) * perSecond;
    for (; begun < due; begun++) {
      const acting = act(begun);
      underWay.add(acting);
      void acting.finally(() => underWay.delete(acting));
    }
  }, TICK_MS);
  return {
    end: async () => {
      clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}

function told(when: string, report: Record<string, Went>): void {
  for (const [what, { times, statuses }] of Object.entries(report)) {
    const ms = (share: number): string => `${Math.round(quantile(times, share))} ms`;
    const counts = [...statuses].map(([status, count]) => `${count} of ${status || 'no answer'}`).join(', ');
    console.log(`${when}: ${what}: ${counts}; p50 ${ms(0.5)}, p99 ${ms(0.99)}, longest ${ms(1)}`);
  }
}

function judge(before: Report, meanwhile: Report): void {
  const refused = [...meanwhile.writes.statuses].filter(([status]) => status >= 300 || status === 0);
  const factor = quantile(meanwhile.reads.times, 0.99) / quantile(before.reads.times, 0.99);
  const broken = [
    ...refused.map(([status, count]) => `${count} writes of others were answered ${status}`),
    ...(quantile(meanwhile.writes.times, 0.99) > MOST_WRITE_MS ? ['writes of others took too long'] : []),
    ...(factor > MOST_READ_FACTOR ? [`reads took ${factor.toFixed(1)} times as long`] : []),
  ];
  for (const bound of broken) console.log(`BROKEN: ${bound}`);
  if (broken.length > 0) process.exitCode = 1;
}
