import { setTimeout as sleep } from 'node:timers/promises';
import autocannon, { type Request } from 'autocannon';
import { ASSETS, assetBody } from '../support/assets.js';
import { basic } from '../support/registry.js';
import { startMeasuredService } from './measured-service.js';

const SAMPLE_MS = 1_000;
const CONNECTIONS = 32;
/** Duration of measuring the maximum rate. */
const PEAK_S = 10;
/** Samples before that are ignored: the code is being compiled and the pools fill. */
const WARM_UP_SHARE = 0.2;
const MAX_GROWTH_MB = 30;
const KEYED = { Authorization: basic('broker'), 'Content-Type': 'application/json' };
const REQUESTS: Request[] = [
  ...Array.from({ length: 5 }, () => ({ path: `${ASSETS}?limit=1` })),
  ...Array.from({ length: 2 }, () => ({ path: `${ASSETS}?limit=20&descending=1&opt_fields=*` })),
  { method: 'POST', path: ASSETS, headers: KEYED, body: JSON.stringify(assetBody()) },
];

/** Loads one process for a long time with a share of its maximum rate: its memory must not grow. */
export async function soak({ minutes, share }: { minutes: number; share: number }): Promise<void> {
  const service = await startMeasuredService();
  try {
    const load = { url: service.url, connections: CONNECTIONS, requests: REQUESTS };
    const peak = await autocannon({ ...load, duration: PEAK_S });
    const rate = Math.round(peak.requests.average * share);
    const samples: number[] = [];
    const loaded = autocannon({ ...load, duration: minutes * 60, overallRate: rate });
    for (const endMs = performance.now() + minutes * 60_000; performance.now() < endMs; await sleep(SAMPLE_MS))
      samples.push(service.memory());
    const { non2xx, errors, requests } = await loaded;
    const growth = growthOf(samples.slice(Math.floor(samples.length * WARM_UP_SHARE)));
    console.log(`${requests.total} answered at ${rate} a second, ${non2xx} failed, ${errors} errors`);
    console.log(`${samples.at(-1)} MB at the end, ${growth.toFixed(1)} MB more than after the warm-up`);
    if (growth > MAX_GROWTH_MB || non2xx + errors > 0) process.exitCode = 1;
  } finally {
    await service.stop();
  }
}

/** The rise of the regression line over all samples. */
function growthOf(samples: readonly number[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [(samples.length - 1) / 2, mean(samples)];
  const products = samples.reduce((sum, mb, i) => sum + (i - x) * (mb - y), 0);
  return (products / samples.reduce((sum, _, i) => sum + (i - x) ** 2, 0)) * samples.length;
}
