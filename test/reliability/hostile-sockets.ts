import { setTimeout as sleep } from 'node:timers/promises';
import { publish } from '../support/assets.js';
import { type Send, sendTo } from '../support/registry.js';
import { ATTACKS, type Attack, Attackers } from './attackers.js';
import { Others } from './others.js';
import { type OwnService, startOwnService } from './own-service.js';

const POLL_MS = 500;
const PAGE = 1_000;
const PUBLISHED_AT_ONCE = 50;
/** The bounds: seconds until the last useless socket is gone, and MB that the service grows by. */
const MOST = { goneS: 65, memoryMb: 400 };

interface Plan {
  /** With slow headers, slow bodies and silence. */
  sockets: number;
  /** That ask for a whole page and never read it. */
  unread: number;
  seconds: number;
}

/** Holds on to a service with sockets that are of no use, while others read and write. */
export async function hostileSockets({ sockets, unread, seconds }: Plan): Promise<void> {
  const slow = ATTACKS.filter((attack) => attack !== 'unread');
  await attackWith(slow, sockets, seconds);
  await attackWith(['unread'], unread, seconds);
}

async function attackWith(attacks: readonly Attack[], sockets: number, seconds: number): Promise<void> {
  const service = await startOwnService();
  const attackers = new Attackers(new URL(service.url), attacks);
  try {
    await fill(service);
    const others = new Others(service.url);
    const before = service.memory();
    await attackers.open(sockets);
    let peak = before;
    for (const endMs = performance.now() + seconds * 1_000; performance.now() < endMs; await sleep(POLL_MS))
      peak = Math.max(peak, service.memory());
    const { readsP99, writesP99, failed } = await others.stop();
    const goneS = await untilGone(attackers);
    console.log(`${sockets} sockets: ${attacks.join(', ')}`);
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

/** Publishes a whole page of assets. */
async function fill({ url }: OwnService): Promise<void> {
  const sender = { send: (path: string, options?: Send) => sendTo(url, path, options) };
  for (let i = 0; i < PAGE; i += PUBLISHED_AT_ONCE)
    await Promise.all(Array.from({ length: PUBLISHED_AT_ONCE }, () => publish(sender)));
}

/** @returns seconds until the service has closed all sockets, or twice as many as it may take */
async function untilGone(attackers: Attackers): Promise<number> {
  attackers.stopReopening();
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1_000;
  while (seconds() < 2 * MOST.goneS && attackers.held > 0) await sleep(POLL_MS);
  return seconds();
}
