import { setTimeout as sleep } from 'node:timers/promises';
import { publish } from '../support/assets.js';
import { type Send, sendTo } from '../support/registry.js';
import { type Attack, Attackers } from './attackers.js';
import { checkBounds } from './bounds.js';
import { BackgroundClients } from './background-clients.js';
import { type MeasuredService, startMeasuredService } from './measured-service.js';

const POLL_MS = 500;
const PAGE = 1_000;
const PUBLISHED_AT_ONCE = 50;
/** Production limits, except for the writes that fill the page. */
const LIMITS = { RATE_LIMIT: 'on', RATE_LIMIT_WRITES: '10000/10000' };

interface Plan {
  sockets: number;
  unread: number;
  /** Duration of each attack. */
  seconds: number;
}

/** Keeps useless sockets open, while background clients read and write. */
export async function hostileSockets({ sockets, unread, seconds }: Plan): Promise<void> {
  await attackWith(['slow headers', 'slow bodies', 'silent'], sockets, seconds);
  await attackWith(['unread'], unread, seconds);
}

async function attackWith(attacks: readonly Attack[], sockets: number, seconds: number): Promise<void> {
  const service = await startMeasuredService({ envOf: () => LIMITS, isProxied: true });
  const attackers = new Attackers(new URL(service.url), attacks);
  try {
    await fill(service);
    const background = new BackgroundClients(service.url);
    let peak = service.memory();
    await attackers.open(sockets);
    for (const endMs = performance.now() + seconds * 1_000; performance.now() < endMs; await sleep(POLL_MS))
      peak = Math.max(peak, service.memory());
    checkBounds(`${sockets} sockets: ${attacks.join(', ')}`, { ...(await background.stop()), memoryMb: peak });
  } finally {
    attackers.stop();
    await service.stop();
  }
}

/** Publishes a full page of assets. */
async function fill({ bareUrl }: MeasuredService): Promise<void> {
  const sender = { send: (path: string, options?: Send) => sendTo(bareUrl, path, options) };
  for (let i = 0; i < PAGE; i += PUBLISHED_AT_ONCE)
    await Promise.all(Array.from({ length: PUBLISHED_AT_ONCE }, () => publish(sender)));
}
