import { setTimeout as sleep } from 'node:timers/promises';
import { rssOf } from '../support/memory-use.js';
import { Random } from '../support/random.js';
import { OpenLoad } from './open-load.js';
import { LoadedService } from './overload.js';

const MINUTE_MS = 60_000;
const SAMPLE_MS = 1_000;
/** Until then the code is compiled and the pools fill. */
const WARM_UP_SHARE = 0.2;

export interface SoakPlan {
  databaseUrl: string;
  minutes: number;
  /** Of the rate that the service was seen to answer at the beginning. */
  share: number;
  seed: number;
}

export interface SoakReport {
  /** Requests a second. */
  rate: number;
  answered: number;
  failed: number;
  failures: string[];
  /** After the warm-up, by least squares; in MB an hour. */
  slope: number;
  /** By the same line, over the time after the warm-up; in MB. */
  growth: number;
  lastMb: number;
}

interface Sample {
  minutes: number;
  mb: number;
}

/** Loads one process for a long time at a share of what it can answer, and watches its memory. */
export async function soak(plan: SoakPlan, tell: (line: string) => void): Promise<SoakReport> {
  const service = await LoadedService.start(plan.databaseUrl);
  try {
    const { goodPerSecond } = await service.findPeak('mixed', tell);
    const rate = Math.round(goodPerSecond * plan.share);
    tell(`${rate} requests a second for ${plan.minutes} minutes`);
    const load = new OpenLoad(service.process.url, rate, new Random(plan.seed));
    await load.start();
    const samples = await watch(service.process.pid, plan.minutes, load, tell);
    const { answered, failed, failures } = await load.stop();
    const settled = samples.filter(({ minutes }) => minutes >= plan.minutes * WARM_UP_SHARE);
    const perMinute = slopeOf(settled);
    const growth = perMinute * plan.minutes * (1 - WARM_UP_SHARE);
    return { rate, answered, failed, failures, slope: perMinute * 60, growth, lastMb: settled.at(-1)?.mb ?? NaN };
  } finally {
    await service.process.kill('SIGTERM');
  }
}

async function watch(pid: number, minutes: number, load: OpenLoad, tell: (line: string) => void): Promise<Sample[]> {
  const samples: Sample[] = [];
  const began = performance.now();
  let told = 0;
  for (let passed = 0; passed < minutes; passed = (performance.now() - began) / MINUTE_MS) {
    const mb = rssOf(pid) / 1024 / 1024;
    samples.push({ minutes: passed, mb });
    if (passed >= told) {
      const { answered, failed } = load.report;
      tell(`${told} min: ${Math.round(mb)} MB, ${answered} answered, ${failed} failed`);
      load.forgetTimes();
      told++;
    }
    await sleep(SAMPLE_MS);
  }
  return samples;
}

/** MB a minute, of the straight line that fits best. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(samples.map(({ minutes }) => minutes)), mean(samples.map(({ mb }) => mb))];
  const products = samples.reduce((sum, { minutes, mb }) => sum + (minutes - x) * (mb - y), 0);
  return products / samples.reduce((sum, { minutes }) => sum + (minutes - x) ** 2, 0);
}
