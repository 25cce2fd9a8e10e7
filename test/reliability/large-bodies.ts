import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import compound from '../../src/asset-types/compound/compound.example.json' with { type: 'json' };
import { ASSETS } from '../support/assets.js';
import { basic } from '../support/registry.js';
import { judge } from './bounds.js';
import { startOwnService } from './own-service.js';

const SAMPLE_MS = 100;
/** The default of BODY_LIMIT. */
const MAX_BODY_BYTES = 256 * 1024;
const HEADERS = { Authorization: basic('broker'), 'Content-Type': 'application/json' };

/** Creates assets that are as large as a body may be, on many connections of one key, on a bare port and without rate limits. */
export async function largeBodies({ connections, seconds }: { connections: number; seconds: number }): Promise<void> {
  const service = await startOwnService();
  try {
    const load = { url: `${service.url}${ASSETS}`, method: 'POST' as const, headers: HEADERS, body: largestBody() };
    const loaded = autocannon({ ...load, connections, duration: seconds });
    let peakMb = 0;
    for (const endMs = performance.now() + seconds * 1_000; performance.now() < endMs; await sleep(SAMPLE_MS))
      peakMb = Math.max(peakMb, service.memory());
    const { statusCodeStats, errors, latency } = await loaded;
    judge('creates assets of 256 KiB', { memoryMb: peakMb, failed: [] }, { statusCodeStats, errors, p99: latency.p99 });
  } finally {
    await service.stop();
  }
}

/** An asset of as many items as there is room for. */
function largestBody(): string {
  const { items } = compound.data;
  const bytesOf = (list: object[]): number =>
    Buffer.byteLength(JSON.stringify({ data: { ...compound.data, items: list } }));
  const each = bytesOf([...items, ...items]) - bytesOf(items);
  const times = Math.floor((MAX_BODY_BYTES - bytesOf([])) / each);
  return JSON.stringify({ data: { ...compound.data, items: Array.from({ length: times }, () => items).flat() } });
}
