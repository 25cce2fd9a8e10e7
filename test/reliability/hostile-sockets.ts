import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { publish } from '../support/assets.js';
import { type Send, sendTo } from '../support/registry.js';
import { type Attack, Attackers } from './attackers.js';
import { Others } from './others.js';
import { type OwnService, startOwnService } from './own-service.js';

const POLL_MS = 500;
const PAGE = 1_000;
const PUBLISHED_AT_ONCE = 50;
/** The bounds: seconds until the last useless socket is gone, idle ones after 65, and MB that the service grows by. */
const MOST = { goneS: 75, memoryMb: 400 };

interface Plan {
  sockets: number;
  unread: number;
  seconds: number;
}

/** Holds on to a service with sockets that are of no use, while others read and write. */
export async function hostileSockets({ sockets, unread, seconds }: Plan): Promise<void> {
  await attackWith(['slow headers', 'slow bodies', 'silent'], sockets, seconds);
  await attackWith(['unread'], unread, seconds);
}

async function attackWith(attacks: readonly Attack[], sockets: number, seconds: number): Promise<void> {
  const service = await startOwnService();
  const attackers = new Attackers(new URL(service.url), attacks);
  try {
    await publishPage(service);
    const others = new Others(service.url);
    const before = service.memory();
    await attackers.open(sockets);
    let [peak, held] = [before, 0];
    for (const endMs = performance.now() + seconds * 1_000; performance.now() < endMs; await sleep(POLL_MS))
      [peak, held] = [Math.max(peak, service.memory()), Math.max(held, heldBy(service))];
    const { readsP99, writesP99, failed } = await others.stop();
    const goneS = await untilGone(attackers, service);
    console.log(`${sockets} sockets: ${attacks.join(', ')}; ${held} held at most`);
    console.log(`  memory ${before} MB before, ${peak} MB at most; the last socket gone after ${goneS.toFixed(1)} s`);
    console.log(`  others: reads p99 ${readsP99.toFixed(1)} ms, writes p99 ${writesP99.toFixed(1)} ms`);
    const broken = [
      ...(goneS > MOST.goneS ? [`not all sockets were gone after ${MOST.goneS} s`] : []),
      ...(peak - before > MOST.memoryMb ? [`${peak - before} MB more memory`] : []),
      ...(failed.length > 0 ? [`${failed.length} requests of others failed: ${failed[0]}`] : []),
    ];
    for (const bound of broken) console.log(`BROKEN: ${bound}`);
    if (broken.length > 0) process.exitCode = 1;
  } finally {
    attackers.stop();
    await service.stop();
  }
}

async function publishPage({ url }: OwnService): Promise<void> {
  const sender = { send: (path: string, options?: Send) => sendTo(url, path, options) };
  for (let i = 0; i < PAGE; i += PUBLISHED_AT_ONCE)
    await Promise.all(Array.from({ length: PUBLISHED_AT_ONCE }, () => publish(sender)));
}

/** @returns seconds until the service has closed all sockets, or twice as many as it may take */
async function untilGone(attackers: Attackers, service: OwnService): Promise<number> {
  attackers.reopens = false;
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1_000;
  while (seconds() < 2 * MOST.goneS && heldBy(service) > 0) await sleep(POLL_MS);
  return seconds();
}

/** How many sockets of attackers, from 127.0.1.*, it has not closed: the kernel knows, and one that reads nothing does not notice. */
function heldBy({ url }: OwnService): number {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0');
  const held = new RegExp(`:${port} ..01007F:.{4} 0[18] `, 'g');
  return [...readFileSync('/proc/net/tcp', 'latin1').matchAll(held)].length;
}
