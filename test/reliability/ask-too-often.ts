import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

const PATH = '/api/0.1/assets?limit=1';
const PAUSE_MS = 5;

/**
 * How many were let through, of how many, and the most and least that a limit may let through meanwhile: when the last was refused it had
 * given away all that there was until then, unless nobody asked for as long as it saves tokens.
 */
export interface Asked {
  accepted: number;
  refused: number;
  /** Neither let through nor refused: there is none. */
  others: number;
  least: number;
  most: number;
}

/**
 * Reads from several clients for a while, and until one is refused, far more often than is allowed; each request says that it comes from
 * another address, and no proxy vouches for it.
 */
export async function askTooOften(
  url: string,
  { clients, seconds, perSecond, burst }: { clients: number; seconds: number; perSecond: number; burst: number },
): Promise<Asked> {
  const asked: Asked = { accepted: 0, refused: 0, others: 0, least: 0, most: 0 };
  const agent = new Agent();
  const began = performance.now();
  let [firstAnswer, lastRefused] = [Infinity, -Infinity];
  const client = async (): Promise<void> => {
    while (performance.now() < began + seconds * 1_000 || asked.refused === 0) {
      const askedMs = performance.now();
      const status = await ask(url, agent);
      firstAnswer = Math.min(firstAnswer, performance.now());
      if (status === 200) asked.accepted++;
      else if (status !== 429) asked.others++;
      else {
        asked.refused++;
        lastRefused = Math.max(lastRefused, askedMs);
      }
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const ended = performance.now();
  await agent.close();
  asked.least = Math.floor(burst + ((lastRefused - firstAnswer) / 1_000) * perSecond) - 1;
  asked.most = Math.ceil(burst + ((ended - began) / 1_000) * perSecond);
  return asked;
}

async function ask(url: string, dispatcher: Agent): Promise<number> {
  const address = Array.from({ length: 4 }, () => Math.floor(Math.random() * 256)).join('.');
  const headers = { 'X-Forwarded-For': address, Forwarded: `for=${address}`, 'X-Real-IP': address };
  const { statusCode, body } = await request(url + PATH, { dispatcher, headers });
  await body.dump();
  return statusCode;
}
