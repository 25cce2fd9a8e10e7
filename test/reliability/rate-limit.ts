import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { clientOf } from '../../src/limits/client-address.js';
import { RateLimit } from '../../src/limits/rate-limit.js';
import { FakeClock, findFakeTime } from '../faults/fake-clock.js';
import { askTooOften } from './ask-too-often.js';
import { startOwnService } from './own-service.js';
import { wholeNumber } from '../support/arguments.js';

const RATE = { perSecond: 50, burst: 200 };
const CLIENTS = 8;
const TOLERANCE = 0.02;
const ADDRESSES = 1_000_000;
const MOST_MEMORY_MB = 50;
const HOUR = 3_600;

export const rateLimitCommand = new Command('rate-limit')
  .description('asks more often than is allowed while the service’s clock steps, and counts what is let through')
  .addOption(new Option('--seconds <number>').argParser(wholeNumber).default(60))
  .action(run);

async function run({ seconds }: { seconds: number }): Promise<void> {
  const broken = [...measureMemory(), ...(await measureRate(seconds))];
  for (const bound of broken) console.log(`BROKEN: ${bound}`);
  if (broken.length > 0) process.exitCode = 1;
}

/** @returns the bounds that were broken */
function measureMemory(): string[] {
  const limit = new RateLimit(RATE);
  const memory = (): number => process.memoryUsage().rss / 1024 / 1024;
  const before = memory();
  for (let i = 0; i < ADDRESSES; i++) limit.spend(clientOf(randomAddress()));
  const more = Math.round(memory() - before);
  console.log(`${ADDRESSES} random IPv6 addresses: ${more} MB more memory`);
  return more > MOST_MEMORY_MB ? [`${more} MB for addresses`] : [];
}

function randomAddress(): string {
  return (randomBytes(16).toString('hex').match(/.{4}/g) ?? []).join(':');
}

async function measureRate(seconds: number): Promise<string[]> {
  if (findFakeTime() === undefined) console.log('libfaketime is not installed: the clock does not step');
  let clock: FakeClock | undefined;
  const service = await startOwnService('sqlite', (folder) => {
    if (findFakeTime() !== undefined) clock = new FakeClock(join(folder, 'clock'));
    return { RATE_LIMIT: 'on', RATE_LIMIT_READS: `${RATE.perSecond}/${RATE.burst}`, ...clock?.env };
  });
  try {
    const steps = stepClock(clock, seconds);
    const asked = await askTooOften(service.url, { clients: CLIENTS, seconds, ...RATE });
    await steps;
    const expected = RATE.burst + RATE.perSecond * seconds;
    const off = asked.accepted / expected - 1;
    console.log(`${asked.accepted} of ${asked.accepted + asked.refused} reads were let through in ${seconds} s`);
    console.log(`expected ${expected}: ${(off * 100).toFixed(2)} % off`);
    return [
      ...(Math.abs(off) > TOLERANCE ? [`${asked.accepted} were let through`] : []),
      ...(asked.others > 0 ? [`${asked.others} answers were neither 200 nor 429`] : []),
    ];
  } finally {
    await service.stop();
  }
}

/** An hour ahead, an hour back, and right again, while the clients ask. */
async function stepClock(clock: FakeClock | undefined, seconds: number): Promise<void> {
  for (const offset of [HOUR, -HOUR, 0]) {
    await sleep((seconds * 1_000) / 4);
    clock?.stepTo(offset);
  }
}
