import { ASSETS, assetBody } from '../support/assets.js';
import { rssOf } from '../support/memory-use.js';
import { runCli, ServiceProcess } from '../support/process.js';
import { basic, sendTo, zoneAtNoon } from '../support/registry.js';
import { head } from '../support/raw-socket.js';
import { GOOD_MS, type LoadResult } from './closed-load.js';
import { runFromProcesses } from './generators.js';

export const KINDS = ['reads', 'listing', 'writes'] as const;
export type Kind = (typeof KINDS)[number] | 'mixed';

const STEPS = [8, 16, 32, 64, 128];
const STEP_MS = 4_000;
const WARM_UP_MS = 1_500;
const GENERATORS = 2;
const ASSETS_AT_START = 1_000;
const MEMORY_EVERY_MS = 100;

export interface Run {
  connections: number;
  result: LoadResult;
  goodPerSecond: number;
  /** The service's greatest resident memory, in bytes. */
  rss: number;
}

export interface OverloadReport {
  kind: Kind;
  /** Before and after the overload, as the machine may have become busier meanwhile. */
  peaks: [Run, Run];
  overload: Run;
  /** Goodput under overload, of the mean of the peaks. */
  share: number;
}

/** A service with assets in it, which is loaded with one kind of request after the other. */
export class LoadedService {
  private constructor(
    readonly process: ServiceProcess,
    private readonly ids: readonly string[],
  ) {}

  static async start(databaseUrl: string): Promise<LoadedService> {
    await runCli(['migrate'], { DATABASE_URL: databaseUrl });
    const service = await ServiceProcess.start({ DATABASE_URL: databaseUrl, TIME_ZONE: zoneAtNoon() });
    const ids: string[] = [];
    const publishAll = async (): Promise<void> => {
      while (ids.length < ASSETS_AT_START) ids.push(await publish(service.url));
    };
    await Promise.all(Array.from({ length: 32 }, publishAll));
    return new LoadedService(service, ids);
  }

  async run(kind: Kind, connections: number, ms: number): Promise<Run> {
    const memory = watchMemory(this.process.pid);
    const plan = { url: this.process.url, connections, warmUpMs: WARM_UP_MS, ms, requests: this.requests(kind) };
    const result = await runFromProcesses(plan, GENERATORS);
    return { connections, result, goodPerSecond: result.good / result.seconds, rss: memory.stop() };
  }

  /** The number of connections, doubled step by step, with which the most is answered well. */
  async findPeak(kind: Kind, tell: (line: string) => void): Promise<Run> {
    let peak: Run | undefined;
    for (const connections of STEPS) {
      const run = await this.run(kind, connections, STEP_MS);
      tell(`${kind}: ${connections} connections, ${Math.round(run.goodPerSecond)} a second within ${GOOD_MS} ms`);
      if (peak === undefined || run.goodPerSecond > peak.goodPerSecond) peak = run;
    }
    return peak as Run;
  }

  private requests(kind: Kind): string[] {
    // About what OpenLoad sends.
    if (kind === 'mixed') {
      const reads = this.requests('reads').slice(0, 5);
      return [
        ...reads,
        ...this.requests('listing'),
        ...this.requests('listing'),
        ...Array<string>(3).fill(this.requests('writes')[0] as string),
      ];
    }
    if (kind === 'reads') return this.ids.map((id) => head(`GET ${ASSETS}/${id} HTTP/1.1`, 'Host: registry'));
    if (kind === 'listing') return [head(`GET ${ASSETS}?limit=100 HTTP/1.1`, 'Host: registry')];
    const body = JSON.stringify(assetBody());
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    const key = `Authorization: ${basic('broker')}`;
    return [head(`POST ${ASSETS} HTTP/1.1`, 'Host: registry', key, 'Content-Type: application/json', length) + body];
  }
}

/** The peak, then ten times as many connections that send as fast as they are answered. */
export async function overload(
  service: LoadedService,
  kind: Kind,
  ms: number,
  tell: (line: string) => void,
): Promise<OverloadReport> {
  const peak = await service.findPeak(kind, tell);
  const before = await service.run(kind, peak.connections, ms / 2);
  const overloaded = await service.run(kind, peak.connections * 10, ms);
  const again = await service.run(kind, peak.connections, ms / 2);
  const mean = (before.goodPerSecond + again.goodPerSecond) / 2;
  return { kind, peaks: [before, again], overload: overloaded, share: overloaded.goodPerSecond / mean };
}

async function publish(url: string): Promise<string> {
  const created = await sendTo(url, ASSETS, { method: 'POST', key: 'broker', body: assetBody() });
  const { id } = created.json.data;
  const headers = { 'X-Access-Token': created.json.access.token };
  const body = { data: { status: 'pending' } };
  const published = await sendTo(url, `${ASSETS}/${id}`, { method: 'PATCH', key: 'broker', headers, body });
  if (published.status !== 200) throw new Error(`PATCH answered ${published.status}: ${published.text}`);
  return id;
}

function watchMemory(pid: number): { stop(): number } {
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, rssOf(pid))), MEMORY_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}
