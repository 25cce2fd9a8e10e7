import { ASSETS } from '../support/assets.js';
import { Random } from '../support/random.js';
import { exchangeOne, head } from '../support/raw-socket.js';
import { Connection } from './connection.js';
import { type Fault, Story } from './story.js';

export interface Plan {
  seed: number;
  /** How many requests are sent at least. */
  requests: number;
  clients: number;
}

export interface Outcome {
  requests: number;
  /** How many were created. */
  assets: number;
  faults: Fault[];
}

/** Stories differ in more than the last bits of their seeds. */
const SPREAD = 0x9e3779b1;
const ENOUGH_FAULTS = 10;

interface Entry {
  dateModified: string;
  status: string;
}

/** Sends random, often malformed requests to the service at `url` from several clients, and judges every answer. */
export async function fuzz(url: string, { seed, requests, clients }: Plan): Promise<Outcome> {
  const outcome: Outcome = { requests: 0, assets: 0, faults: [] };
  const known = new Map<string, Entry>();
  const numbers: string[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    const connection = new Connection(new URL(url));
    while (outcome.faults.length < ENOUGH_FAULTS && outcome.requests < requests) {
      const story = new Story(url, connection, new Random(seed + next++ * SPREAD));
      await story.run();
      outcome.requests += story.requests;
      outcome.faults.push(...story.faults);
      for (const { id, data } of story.known.assets) known.set(id, JSON.parse(data) as Entry);
      numbers.push(...story.numbers);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: clients }, client));
  outcome.assets = known.size;
  if (outcome.faults.length === 0) {
    const wrong = [...gapsIn(numbers), ...(await faultsOfFeed(url, known))];
    outcome.faults.push(...wrong.map((what) => ({ what, request: Buffer.alloc(0) })));
  }
  return outcome;
}

/** Describes a fault with the request's bytes and the answer. */
export function describeFault({ what, request, reply }: Fault): string {
  const bytes = JSON.stringify(request.toString('latin1').slice(0, 1_500));
  const answer = reply === undefined ? 'no answer' : `${reply.status} ${reply.text.slice(0, 500)}`;
  return `${what}\n  ${bytes}\n  ${answer}`;
}

/** Checks that a day's numbers run from 1 without gaps: a refused POST uses no number, and every creation was answered. */
function gapsIn(assetIds: string[]): string[] {
  const days = new Map<string, { given: Set<string>; last: number }>();
  for (const assetId of assetIds) {
    const [, day = '', number = ''] = /^(.*)-(\d+)$/.exec(assetId) ?? [];
    const { given, last } = days.get(day) ?? { given: new Set(), last: 0 };
    days.set(day, { given: given.add(assetId), last: Math.max(last, Number(number)) });
  }
  const gaps = [...days].filter(([, { given, last }]) => given.size !== last);
  const counted = [...days.values()].reduce((sum, { given }) => sum + given.size, 0);
  const wrong = gaps.map(([day, { given, last }]) => `${given.size} assets of ${day}, and the last number is ${last}`);
  return counted === assetIds.length ? wrong : [...wrong, 'an assetID was given twice'];
}

/** Checks that the feed has every asset as last answered, and no draft. */
async function faultsOfFeed(url: string, known: ReadonlyMap<string, Entry>): Promise<string[]> {
  const listed = new Map<string, string>();
  for (let path = `${ASSETS}?limit=1000`; ;) {
    const { json } = await exchangeOne(url, head(`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: close'));
    if (json.data.length === 0) break;
    for (const { id, dateModified } of json.data) listed.set(id, dateModified);
    path = json.next_page.path;
  }
  const wrong = [...known].filter(
    ([id, { status, dateModified }]) => listed.get(id) !== (status === 'draft' ? undefined : dateModified),
  );
  return wrong.map(([id]) => `the feed does not show ${id} as it was answered`);
}
