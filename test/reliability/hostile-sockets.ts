import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { publish } from '../support/assets.js';
import type { Reply, Send } from '../support/registry.js';
import { ATTACKS, type Attack, Attackers, SOURCE_NETWORK } from './attackers.js';
import { type Health, type HealthByConnection, HealthyClients } from './healthy-clients.js';
import { answerParent, OwnProcess } from './own-process.js';
import { type OwnService, startOwnService } from './own-service.js';
import { countConnections } from './service-connections.js';
import { wholeNumber } from '../support/arguments.js';

interface Options {
  sockets: number;
  unread: number;
  seconds: number;
}

const BASELINE_MS = 10_000;
const POLL_MS = 500;
const PAGE = 1_000;

/** What must hold of a scenario; times in seconds, memory in MB. */
interface Bounds {
  gone: number;
  memory: number;
  /** Whether healthy clients must not notice. */
  healthy: boolean;
}

export const hostileSocketsCommand = new Command('hostile-sockets')
  .description('holds on to a service with sockets that are of no use, and looks how others are served')
  .addOption(
    new Option('--sockets <number>', 'slow headers, slow bodies and silence').argParser(wholeNumber).default(10_000),
  )
  .addOption(
    new Option('--unread <number>', 'that ask for a whole page and never read it')
      .argParser(wholeNumber)
      .default(1_000),
  )
  .addOption(new Option('--seconds <number>').argParser(wholeNumber).default(60))
  .action(run);

export const attackCommand = new Command('attack')
  .argument('<url>')
  .argument('<sockets>')
  .argument('<attacks...>')
  .action((url: string, sockets: string, attacks: Attack[]) => {
    const attackers = new Attackers(new URL(url), attacks);
    answerParent(async (word) => {
      if (word === 'open') await attackers.open(Number(sockets));
      else attackers.stopReopening();
      return attackers.count;
    });
  });

export const stayHealthyCommand = new Command('stay-healthy').argument('<url>').action((url: string) => {
  const clients = new HealthyClients(url);
  answerParent(() => clients.take());
});

async function run({ sockets, unread, seconds }: Options): Promise<void> {
  const slow = ATTACKS.filter((attack) => attack !== 'unread');
  const held: string[] = [];
  if (sockets > 0) held.push(...(await scenario(slow, sockets, seconds, { gone: 35, memory: 400, healthy: true })));
  if (unread > 0)
    held.push(...(await scenario(['unread'], unread, seconds, { gone: 65, memory: 400, healthy: false })));
  for (const broken of held) console.log(`BROKEN: ${broken}`);
  if (held.length > 0) process.exitCode = 1;
}

/** @returns the bounds that were broken */
async function scenario(attacks: Attack[], sockets: number, seconds: number, bounds: Bounds): Promise<string[]> {
  console.log(`\n${sockets} sockets: ${attacks.join(', ')}`);
  const service = await startOwnService('sqlite');
  const clients = OwnProcess.start<HealthByConnection>(['stay-healthy', service.url]);
  const attackers = OwnProcess.start<number>(['attack', service.url, String(sockets), ...attacks]);
  try {
    await fill(service);
    await clients.ask('take');
    await sleep(BASELINE_MS);
    const baseline = await clients.ask('take');
    const before = service.memory();
    await attackers.ask('open');
    const { peak, most } = await watch(service, seconds);
    const attacked = await clients.ask('take');
    const opened = await attackers.ask('stop');
    const gone = await untilGone(service, bounds.gone);
    print({ baseline, attacked });
    console.log(`  held at once ${most}, opened ${opened}, the last one gone after ${gone.toFixed(1)} s`);
    console.log(`  memory of the service: ${before} MB before, ${peak} MB at most`);
    return [
      ...(gone > bounds.gone ? [`not all were gone after ${bounds.gone} s`] : []),
      ...(peak - before > bounds.memory ? [`${peak - before} MB more memory`] : []),
      ...(bounds.healthy ? brokenHealth(baseline, attacked) : []),
    ];
  } finally {
    await clients.stop();
    await attackers.stop();
    await service.stop();
  }
}

/** Publishes a whole page of assets. */
async function fill({ url }: OwnService): Promise<void> {
  const sender = { send: (path: string, options?: Send) => sendTo(url + path, options) };
  for (let i = 0; i < PAGE; i += 50) await Promise.all(Array.from({ length: 50 }, () => publish(sender)));
}

async function sendTo(url: string, { method = 'GET', key = '', headers = {}, body }: Send = {}): Promise<Reply> {
  const authorization = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const response = await fetch(url, { method, headers: { ...authorization, ...headers }, body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

async function watch(service: OwnService, seconds: number): Promise<{ peak: number; most: number }> {
  const end = performance.now() + seconds * 1_000;
  const port = Number(new URL(service.url).port);
  let [peak, most] = [0, 0];
  while (performance.now() < end) {
    peak = Math.max(peak, service.memory());
    most = Math.max(most, countConnections(port, SOURCE_NETWORK));
    await sleep(POLL_MS);
  }
  return { peak, most };
}

/** @returns seconds until the service holds none of the attackers' connections, or twice as many as it may take */
async function untilGone({ url }: OwnService, most: number): Promise<number> {
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1_000;
  while (seconds() < 2 * most && countConnections(Number(new URL(url).port), SOURCE_NETWORK) > 0) await sleep(POLL_MS);
  return seconds();
}

function brokenHealth(baseline: HealthByConnection, attacked: HealthByConnection): string[] {
  const kinds = ['keptAlive', 'new'] as const;
  return kinds.flatMap((kind) => {
    const [before, during] = [baseline[kind], attacked[kind]];
    const failed =
      before.failures + during.failures > 0 ? [`${during.failures} healthy requests failed (${kind})`] : [];
    const slow = during.p99 > Math.max(3 * before.p99, 10) ? [`p99 ${during.p99.toFixed(1)} ms (${kind})`] : [];
    return [...failed, ...slow];
  });
}

function print(phases: Record<string, HealthByConnection>): void {
  const told = ({ requests, failures, p50, p99 }: Health): string =>
    `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms of ${requests}, ${failures} failed`;
  for (const [name, health] of Object.entries(phases)) {
    console.log(`  ${name.padEnd(9)} kept alive: ${told(health.keptAlive)}`);
    console.log(`  ${name.padEnd(9)} new:        ${told(health.new)}`);
  }
}
