import { findFreePort } from '../../scripts/machine/free-port.js';
import { ASSETS } from '../support/assets.js';
import { metricsOf } from '../support/metrics.js';
import { type AttackFigures, checkBounds } from './bounds.js';
import {
  changedItems,
  longRegions,
  manyItems,
  REFUSED_BODIES,
  REFUSED_CHANGES,
  requestsOfNoPath,
  smallChunks,
} from './hostile-bodies.js';
import { type Answer, Client, BackgroundClients } from './background-clients.js';
import { startMeasuredService } from './measured-service.js';

/** Attackers per source address; they share its rate limit. */
const ATTACKERS_PER_ADDRESS = 4;

/** An asset of the attacker. */
export interface Heavy {
  id: string;
  token: string;
  data: Record<string, unknown>;
}

/** One repeated step of an attacker; `round` counts. */
type Attack = (client: Client, heavy: readonly Heavy[], round: number) => Promise<Answer>;

const one = (heavy: readonly Heavy[], round: number): Heavy => heavy[round % heavy.length] as Heavy;
const create = (client: Client, data: unknown): Promise<Answer> =>
  client.send('POST', ASSETS, { key: 'broker', body: JSON.stringify({ data }) });
const change = (client: Client, heavy: Heavy, data: unknown): Promise<Answer> =>
  sendChange(client, heavy, JSON.stringify({ data }));
const sendChange = (client: Client, { id, token }: Heavy, body: string): Promise<Answer> =>
  client.send('PATCH', `${ASSETS}/${id}?acc_token=${token}`, { key: 'broker', body });
const get =
  (...paths: string[]): Attack =>
  (client, heavy, round) =>
    client.send('GET', (paths[round % paths.length] as string).replace('ID', one(heavy, round).id));

const REPEATED: Readonly<Record<string, Attack>> = {
  'creates assets of a megabyte': (client, _, round) => create(client, round % 2 === 0 ? manyItems() : longRegions()),
  'changes the title of such assets': (client, heavy, round) =>
    change(client, one(heavy, round), { title: `${round}` }),
  'changes hundreds of items': (client, heavy, round) =>
    change(client, one(heavy, round), changedItems(one(heavy, round).data, `${round}`)),
  'adds hundreds of items more': (client, heavy, round) =>
    change(client, one(heavy, round), { items: manyItems()['items'] }),
  'sends bodies that are refused': (client, _, round) => {
    const bodies = Object.values(REFUSED_BODIES);
    return client.send('POST', ASSETS, { key: 'broker', body: bodies[round % bodies.length] as string });
  },
  'sends changes that are refused': (client, heavy, round) => {
    const changes = Object.values(REFUSED_CHANGES);
    const asset = one(heavy, round);
    return sendChange(client, asset, (changes[round % changes.length] as (data: Heavy['data']) => string)(asset.data));
  },
  'reads whole pages': get(
    `${ASSETS}?opt_fields=*&limit=1000&opt_pretty=1`,
    `${ASSETS}?opt_fields=*&limit=1000&descending=1`,
  ),
  'reads such assets': get(`${ASSETS}/ID?opt_pretty=1`, `${ASSETS}/ID`, `${ASSETS}/ID?at=2999-01-01`),
  'reads histories': get(`${ASSETS}/ID/history?opt_pretty=1&limit=1000`, `${ASSETS}/ID/history?descending=1`),
  'reads pages for people': get('/assets/ID', '/', '/?lang=en', '/statistics', '/changes.atom'),
  searches: get(
    `/?q=${encodeURIComponent('\u{fdfa}'.repeat(600))}`,
    `/?q=${encodeURIComponent('а б в г ґ д е є ж з и і ї й к л м н о п')}`,
    '/?q=UA-20',
    '/?region=%D0%BA',
  ),
  'searches for data': get(
    `${ASSETS}/search?opt_fields=*&limit=1000`,
    `${ASSETS}/search?q=a&facets=status,assetType,region&limit=1000`,
    '/changes.atom?q=UA',
  ),
  'searches for tables': (client) => client.send('GET', `${ASSETS}/search?q=UA`, { accept: 'text/csv' }),
  'asks for copies': get(`${ASSETS}/snapshot.jsonl.gz`, `${ASSETS}/digest`),
  'sends long queries': get(
    `${ASSETS}?opt_fields=${'title,'.repeat(1_300)}`,
    `${ASSETS}?offset=${'9'.repeat(8_000)}`,
    `/?${'a=b&'.repeat(2_000)}`,
  ),
  'sends bodies in chunks of a byte': (client) => client.sendTogether(smallChunks(ASSETS)),
  'sends requests of no path together': (client) => client.sendTogether(requestsOfNoPath()),
};

const EACH = Object.values(REPEATED);

/** Heavy data that a broker may send and heavy requests that any client may make, by description. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  ...REPEATED,
  'does all of that at once': (client, heavy, round) =>
    (EACH[round % EACH.length] as Attack)(client, heavy, Math.floor(round / EACH.length)),
};

/** Result of one attack: times in milliseconds, memory in MB. */
export interface AttackResult extends AttackFigures {
  attack: string;
  /** How many of the attacker's requests were answered, by status. */
  answers: Record<string, number>;
  /** The longest delay of the service's event loop, from its metrics. */
  eventLoopLagMs: number;
}

interface Service {
  url: string;
  metricsUrl: string;
}

/** Publishes assets of maximum weight. */
export async function publishHeavy(url: string, count: number): Promise<Heavy[]> {
  const client = new Client(url);
  const heavy: Heavy[] = [];
  for (let i = 0; i < count; i++) {
    const { status, text } = await create(client, i % 2 === 0 ? manyItems() : longRegions());
    if (status !== 201) throw new Error(`A sound asset was answered ${status}: ${text.slice(0, 200)}`);
    const { access, data } = JSON.parse(text) as { access: { token: string }; data: Heavy['data'] };
    const made = { id: data['id'] as string, token: access.token, data };
    await change(client, made, { status: 'pending' });
    heavy.push(made);
  }
  client.close();
  return heavy;
}

/**
 * Runs one attack from `attackers` clients repeatedly, while background clients read and write.
 * @param rounds maximum per attacker @param ms no attacker begins a round after that
 */
export async function runAttack(
  service: Service,
  heavy: readonly Heavy[],
  attack: string,
  { attackers, rounds, ms }: { attackers: number; rounds: number; ms: number },
): Promise<AttackResult> {
  const background = new BackgroundClients(service.url);
  await metricsOf(service.metricsUrl);
  const answers: Record<string, number> = {};
  const end = performance.now() + ms;
  const attacker = async (first: number): Promise<void> => {
    const client = new Client(service.url, `127.0.1.${1 + Math.floor(first / ATTACKERS_PER_ADDRESS)}`);
    for (let i = 0; i < rounds && (i === 0 || performance.now() < end); i++) {
      const status = await (ATTACKS[attack] as Attack)(client, heavy, first + i * attackers).then(
        (answer) => String(answer.status),
        (error: NodeJS.ErrnoException) => error.code ?? error.message,
      );
      answers[status] = (answers[status] ?? 0) + 1;
    }
    client.close();
  };
  await Promise.all(Array.from({ length: attackers }, (_, i) => attacker(i)));
  const metrics = await metricsOf(service.metricsUrl);
  return { attack, answers, ...(await background.stop()), ...loadOf(metrics) };
}

function loadOf(metrics: Map<string, number>): Pick<AttackResult, 'eventLoopLagMs' | 'memoryMb'> {
  const most = (name: string): number =>
    Math.max(...[...metrics].filter(([line]) => line.split('{')[0] === name).map(([, value]) => value));
  return {
    eventLoopLagMs: most('nodejs_eventloop_lag_max_seconds') * 1_000,
    memoryMb: most('process_resident_memory_bytes') / 1_024 ** 2,
  };
}

const HEAVY = 30;
const ATTACKERS = 4;

/** Runs the attacks one after another. @param only runs attacks whose names contain this */
export async function hostileData({ seconds, only }: { seconds: number; only: string }): Promise<void> {
  const METRICS_PORT = String(await findFreePort());
  // Rate limits are on, as in production.
  const envOf = (folder: string) => ({
    METRICS_PORT,
    SEARCH_INDEX: `${folder}/search.sqlite`,
    RATE_LIMIT: 'on',
    BODY_LIMIT: '1mb',
  });
  const service = await startMeasuredService({ envOf, isProxied: true });
  try {
    const heavy = await publishHeavy(service.url, HEAVY);
    const bounds = { attackers: ATTACKERS, rounds: Infinity, ms: seconds * 1_000 };
    const served = { url: service.url, metricsUrl: `http://127.0.0.1:${METRICS_PORT}/metrics` };
    for (const attack of Object.keys(ATTACKS).filter((name) => name.includes(only)))
      checkResult(await runAttack(served, heavy, attack, bounds));
  } finally {
    await service.stop();
  }
}

function checkResult({ attack, eventLoopLagMs, answers, ...figures }: AttackResult): void {
  const defects = answers['500'] === undefined ? [] : [`${answers['500']} answers were 500`];
  checkBounds(attack, { ...figures, failed: [...figures.failed, ...defects] }, { eventLoopLagMs, answers });
}
