import { LoadClient } from '../support/load-client.js';

/** A success that comes later than this helps nobody. */
export const GOOD_MS = 1_000;

/** What one generator process does. */
export interface LoadPlan {
  url: string;
  connections: number;
  warmUpMs: number;
  ms: number;
  /** Whole requests as they go over the wire; each connection sends them in turn, from a place of its own. */
  requests: string[];
}

/** What it has seen after the warm-up. Times are in milliseconds. */
export interface LoadResult {
  /** Successes within a second. */
  good: number;
  late: number;
  refused: number;
  /** Other answers. */
  bad: number;
  /** Connections that broke. */
  broken: number;
  goodTimes: number[];
  refusedTimes: number[];
  seconds: number;
  /** Of one core. */
  cpuShare: number;
}

/** Keeps every connection busy: the next request is sent as soon as the last one is answered, whatever the answer was. */
export async function runClosedLoad({ url, connections, warmUpMs, ms, requests }: LoadPlan): Promise<LoadResult> {
  const result = emptyResult();
  const isOver = { measured: false, done: false };
  const note = (status: number, took: number): void => {
    if (isOver.measured) count(result, status, took);
  };
  const broke = (): void => {
    if (isOver.measured) result.broken++;
  };
  const clients = Array.from({ length: connections }, (_, i) => {
    let next = Math.floor((i * requests.length) / connections);
    return new LoadClient(new URL(url), () => requests[next++ % requests.length], note, broke);
  });
  await pause(warmUpMs);
  isOver.measured = true;
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  await pause(ms);
  isOver.measured = false;
  result.seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  result.cpuShare = (user + system) / 1_000_000 / result.seconds;
  for (const client of clients) client.stop();
  return result;
}

export function emptyResult(): LoadResult {
  const counts = { good: 0, late: 0, refused: 0, bad: 0, broken: 0 };
  return { ...counts, goodTimes: [], refusedTimes: [], seconds: 0, cpuShare: 0 };
}

function count(result: LoadResult, status: number, took: number): void {
  if (status === 503) {
    result.refused++;
    result.refusedTimes.push(took);
  } else if (status >= 300) {
    result.bad++;
  } else if (took > GOOD_MS) {
    result.late++;
  } else {
    result.good++;
    result.goodTimes.push(took);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
