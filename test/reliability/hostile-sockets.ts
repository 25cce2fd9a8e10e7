import { setTimeout as sleep } from 'node:timers/promises';
import { publish } from '../support/assets.js';
import { type Send, sendTo } from '../support/registry.js';
import { type Attack, Attackers } from './attackers.js';
import { judge } from './bounds.js';
import { Others } from './others.js';
import { type OwnService, startOwnService } from './own-service.js';

const POLL_MS = 500;
const PAGE = 1_000;
const PUBLISHED_AT_ONCE = 50;
/** As in production, but for the writes that make the page. */
const LIMITS = { RATE_LIMIT: 'on', RATE_LIMIT_WRITES: '10000/10000' };

interface Plan {
  sockets: number;
  unread: number;
  /** Of each attack. */
  seconds: number;
}

/** Holds on to a service with sockets that are of no use, while others read and write. */
export async function hostileSockets({ sockets, unread, seconds }: Plan): Promise<void> {
  await attackWith(['slow headers', 'slow bodies', 'silent'], sockets, seconds);
  await attackWith(['unread'], unread, seconds);
}

async function attackWith(attacks: readonly Attack[], sockets: number, seconds: number): Promise<void> {
  const service = await startOwnService({ envOf: () => LIMITS, isProxied: true });
  const attackers = new Attackers(new URL(service.url), attacks);
  try {
    await fill(service);
    const others = new Others(service.url);
    let peak = service.memory();
    await attackers.open(sockets);
    for (const endMs = performance.now() + seconds * 1_000; performance.now() < endMs; await sleep(POLL_MS))
      peak = Math.max(peak, service.memory());
    judge(`${sockets} sockets: ${attacks.join(', ')}`, { ...(await others.stop()), memoryMb: peak });
  } finally {
    attackers.stop();
    await service.stop();
  }
}

/** Publishes a whole page of assets. */
async function fill({ bareUrl }: OwnService): Promise<void> {
  const sender = { send: (path: string, options?: Send) => sendTo(bareUrl, path, options) };
  for (let i = 0; i < PAGE; i += PUBLISHED_AT_ONCE)
    await Promise.all(Array.from({ length: PUBLISHED_AT_ONCE }, () => publish(sender)));
}
