import { setTimeout as sleep } from 'node:timers/promises';
import { LoadClient } from '../../test/support/load-client.js';
import { DataSet } from '../data-set/data-set.js';
import { Copying } from './copying.js';
import type { Outcome, Plan } from './plan.js';
import { requestsOf } from './requests.js';
import { Tally } from './tally.js';

const TICK_MS = 1;

/** Puts one load on a service, from this process. */
export async function runPlan(plan: Plan): Promise<Outcome> {
  const tally = new Tally(plan.pids);
  if (plan.mode === 'copy by pages' || plan.mode === 'copy by reads') return new Copying(plan, tally).run();
  const stop = plan.mode === 'closed' ? startClosed(plan, tally) : startPaced(plan, tally);
  await sleep(plan.warmUpMs);
  tally.begin();
  await sleep(plan.ms);
  const outcome = tally.end();
  stop();
  return outcome;
}

/** Each connection has choices of its own. */
function requestsOfConnection({ kind, size, seed }: Plan, connection: number): () => string {
  return requestsOf(kind, new DataSet(size), seed + connection * 7_919);
}

function startClosed(plan: Plan, tally: Tally): () => void {
  const urls = [plan.url, ...(plan.further ?? [])];
  const clients = Array.from({ length: plan.connections }, (_, i) => {
    const answered = (status: number, took: number): void => tally.count(status, took);
    const url = new URL(urls[i % urls.length] as string);
    return new LoadClient(url, requestsOfConnection(plan, i), answered, () => tally.broke());
  });
  return () => clients.forEach((client) => client.stop());
}

function startPaced(plan: Plan, tally: Tally): () => void {
  const due: number[] = [];
  const idle: LoadClient[] = [];
  const makeNext = requestsOfConnection(plan, 0);
  const clients = Array.from({ length: plan.connections }, () => {
    let since = 0;
    const client: LoadClient = new LoadClient(
      new URL(plan.url),
      () => {
        since = due.shift() ?? 0;
        if (since > 0) return makeNext();
        idle.push(client);
        return undefined;
      },
      (status) => tally.count(status, performance.now() - since),
      () => tally.broke(),
    );
    return client;
  });
  const began = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    for (; sent < ((now - began) / 1_000) * plan.perSecond; sent++) {
      due.push(now);
      idle.pop()?.wake();
    }
  }, TICK_MS);
  return () => {
    clearInterval(timer);
    clients.forEach((client) => client.stop());
  };
}
