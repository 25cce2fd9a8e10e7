import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { assetBody } from '../support/assets.js';
import { metricsOf } from '../support/metrics.js';
import { changedItems, longRegions, manyItems, REFUSED_BODIES } from './hostile-bodies.js';
import { quantile } from './quantile.js';

/*
 * Data that a broker may send and requests that anyone may make, each as heavy as it can be, beside clients that do their usual work.
 */

const API = '/api/0.1/assets';
/** Of one that reads, and of one that writes: less than their rate limits allow. */
const PAUSE_MS = { read: 25, write: 100 };

/** Attackers from one address, who share its rate limit. */
const OF_AN_ADDRESS = 4;

interface Answer {
  status: number;
  text: string;
}

interface Sent {
  key?: string;
  body?: string;
  accept?: string;
}

/** Requests on connections that are kept. */
export class Client {
  private readonly agent: Agent;

  /** @param address from where it comes; of another one, rate limits count by themselves */
  constructor(
    private readonly url: string,
    address = '127.0.0.1',
  ) {
    this.agent = new Agent({ keepAlive: true, localAddress: address });
  }

  send(method: string, path: string, { key, body, accept }: Sent = {}): Promise<Answer> {
    const headers = {
      ...(key && { Authorization: `Bearer ${key}` }),
      ...(body && { 'Content-Type': 'application/json' }),
      ...(accept && { Accept: accept }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(this.url + path, { method, agent: this.agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
      });
      sent.once('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** An asset of the attacker's. */
export interface Heavy {
  id: string;
  token: string;
  data: Record<string, unknown>;
}

/** What one attacker does again and again; `round` counts. */
type Attack = (client: Client, heavy: readonly Heavy[], round: number) => Promise<Answer>;

const one = (heavy: readonly Heavy[], round: number): Heavy => heavy[round % heavy.length] as Heavy;
const create = (client: Client, data: unknown): Promise<Answer> =>
  client.send('POST', API, { key: 'broker', body: JSON.stringify({ data }) });
const change = (client: Client, { id, token }: Heavy, data: unknown): Promise<Answer> =>
  client.send('PATCH', `${API}/${id}?acc_token=${token}`, { key: 'broker', body: JSON.stringify({ data }) });
const get =
  (...paths: string[]): Attack =>
  (client, heavy, round) =>
    client.send('GET', (paths[round % paths.length] as string).replace('ID', one(heavy, round).id));

const REPEATED: Readonly<Record<string, Attack>> = {
  'creates assets of a megabyte': (client, _, round) => create(client, round % 2 === 0 ? manyItems() : longRegions()),
  'changes the title of such assets': (client, heavy, round) =>
    change(client, one(heavy, round), { title: `${round}` }),
  'changes a thousand items': (client, heavy, round) =>
    change(client, one(heavy, round), changedItems(one(heavy, round).data, `${round}`)),
  'adds a thousand items more': (client, heavy, round) =>
    change(client, one(heavy, round), { items: manyItems()['items'] }),
  'sends bodies that are refused': (client, _, round) => {
    const bodies = Object.values(REFUSED_BODIES);
    return client.send('POST', API, { key: 'broker', body: bodies[round % bodies.length] as string });
  },
  'reads whole pages': get(
    `${API}?opt_fields=*&limit=1000&opt_pretty=1`,
    `${API}?opt_fields=*&limit=1000&descending=1`,
  ),
  'reads such assets': get(`${API}/ID?opt_pretty=1`, `${API}/ID`, `${API}/ID?at=2999-01-01`),
  'reads histories': get(`${API}/ID/history?opt_pretty=1&limit=1000`, `${API}/ID/history?descending=1`),
  'reads pages for people': get('/assets/ID', '/', '/?lang=en', '/statistics', '/changes.atom'),
  searches: get(
    `/?q=${encodeURIComponent('\u{fdfa}'.repeat(600))}`,
    `/?q=${encodeURIComponent('а б в г ґ д е є ж з и і ї й к л м н о п')}`,
    '/?q=UA-20',
    '/?region=%D0%BA',
  ),
  'searches for data': get(
    `${API}/search?opt_fields=*&limit=1000`,
    `${API}/search?q=a&facets=status,assetType,region&limit=1000`,
    '/changes.atom?q=UA',
  ),
  'searches for tables': (client) => client.send('GET', `${API}/search?q=UA`, { accept: 'text/csv' }),
  'asks for copies': get(`${API}/snapshot.jsonl.gz`, `${API}/digest`),
  'sends long queries': get(
    `${API}?opt_fields=${'title,'.repeat(1_300)}`,
    `${API}?offset=${'9'.repeat(8_000)}`,
    `/?${'a=b&'.repeat(2_000)}`,
  ),
};

const EACH = Object.values(REPEATED);

/** By what they do. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  ...REPEATED,
  'does all of that at once': (client, heavy, round) =>
    (EACH[round % EACH.length] as Attack)(client, heavy, Math.floor(round / EACH.length)),
};

/** How one attack went: times in milliseconds, memory in MB. */
export interface Hardship {
  attack: string;
  /** How many of the attacker's requests were answered, by status. */
  answers: Record<string, number>;
  /** The longest time for which the service's event loop was held, by its own count. */
  heldMs: number;
  memoryMb: number;
  readsP99: number;
  writesP99: number;
  /** Of the others: requests that were not answered as they should be. */
  failed: string[];
}

interface Service {
  url: string;
  metricsUrl: string;
}

/** Published assets, as heavy as they may be. */
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
 * Lets `attackers` make one attack at the same time, again and again, while others read and write.
 * @param rounds of each attacker at most @param ms after which none begins another round
 */
export async function endure(
  service: Service,
  heavy: readonly Heavy[],
  attack: string,
  { attackers, rounds, ms }: { attackers: number; rounds: number; ms: number },
): Promise<Hardship> {
  const others = new Others(service.url);
  await metricsOf(service.metricsUrl);
  const answers: Record<string, number> = {};
  const end = performance.now() + ms;
  const attacker = async (first: number): Promise<void> => {
    const client = new Client(service.url, `127.0.1.${1 + Math.floor(first / OF_AN_ADDRESS)}`);
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
  return { attack, answers, ...(await others.stop()), ...loadOf(metrics) };
}

/** How others are served while nobody attacks. */
export async function atPeace(service: Service, ms: number): Promise<Pick<Hardship, 'readsP99' | 'writesP99'>> {
  const others = new Others(service.url);
  await sleep(ms);
  return others.stop();
}

function loadOf(metrics: Map<string, number>): Pick<Hardship, 'heldMs' | 'memoryMb'> {
  const most = (name: string): number =>
    Math.max(...[...metrics].filter(([line]) => line.split('{')[0] === name).map(([, value]) => value));
  return {
    heldMs: most('nodejs_eventloop_lag_max_seconds') * 1_000,
    memoryMb: most('process_resident_memory_bytes') / 1_024 ** 2,
  };
}

/** One that reads and one that writes, all the time. */
class Others {
  private ends = false;
  private readonly failed: string[] = [];
  private readonly client: Client;
  private readonly running: Promise<number[][]>;

  constructor(url: string) {
    this.client = new Client(url, '127.0.0.2');
    const body = JSON.stringify(assetBody());
    this.running = Promise.all([
      this.repeat(PAUSE_MS.read, 200, () => this.client.send('GET', `${API}?limit=10`)),
      this.repeat(PAUSE_MS.write, 201, () => this.client.send('POST', API, { key: 'broker2', body })),
    ]);
  }

  async stop(): Promise<Pick<Hardship, 'readsP99' | 'writesP99' | 'failed'>> {
    this.ends = true;
    const [reads = [], writes = []] = await this.running;
    this.client.close();
    return { readsP99: quantile(reads, 0.99), writesP99: quantile(writes, 0.99), failed: this.failed };
  }

  /** @returns how long each took, in milliseconds */
  private async repeat(pauseMs: number, expected: number, ask: () => Promise<Answer>): Promise<number[]> {
    const taken: number[] = [];
    while (!this.ends) {
      const began = performance.now();
      const told = await ask().then(
        ({ status }) => (status === expected ? undefined : `answered ${status}`),
        (error: Error) => error.message,
      );
      taken.push(performance.now() - began);
      if (told !== undefined) this.failed.push(told);
      await sleep(pauseMs);
    }
    return taken;
  }
}
