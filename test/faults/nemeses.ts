import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/random.js';
import type { Host } from './databases.js';
import type { History } from './history.js';
import type { Node, System } from './system.js';

/** The faults of a run. */
export interface Faults {
  serviceKills: number;
  databaseKills: number;
  serviceFreezes: number;
  databaseFreezes: number;
  proxyFaults: number;
  clockSteps: number;
}

/** The context of every nemesis. */
interface Scene {
  system: System;
  history: History;
  faults: Faults;
  /** Duration over which the faults are spread. */
  ms: number;
  /** True if the run has been given up. */
  isOver: () => boolean;
}

const FIRST_SHARE = 0.04;
const LAST_SHARE = 0.94;
const LONGEST_FREEZE_MS = 2_000;
const CLOCK_STEPS_S = [-10, 3_600, -3_600, 0] as const;
const PROXY_FAULTS = ['drop the answer to COMMIT', 'drop COMMIT', 'reset', 'delay'] as const;

/** Injects all faults of a scene, each kind concurrently, so that they overlap; resolves when everything runs again. */
export async function injectAll(scene: Scene, random: Random): Promise<void> {
  const { serviceKills, databaseKills, serviceFreezes, databaseFreezes, proxyFaults, clockSteps } = scene.faults;
  const hasServer = scene.system.database.hosts.length > 0;
  // Every kind forks its own random source, even if its count is 0, so that changing one count leaves the other kinds unchanged.
  const nemeses = [
    { count: serviceKills, strike: killService },
    { count: hasServer ? databaseKills : 0, strike: killHost },
    { count: serviceFreezes, strike: freezeService },
    { count: hasServer ? databaseFreezes : 0, strike: freezeHost },
    { count: hasServer ? proxyFaults : 0, strike: spoilConnection },
    { count: clockSteps, strike: stepClock },
  ];
  await Promise.all(nemeses.map(({ count, strike }) => strikeOften(count, strike, scene, random.fork())));
}

type Strike = (scene: Scene, random: Random) => Promise<void>;

async function strikeOften(count: number, strike: Strike, scene: Scene, random: Random): Promise<void> {
  const began = performance.now();
  const shares = Array.from({ length: count }, () => FIRST_SHARE + random.next() * (LAST_SHARE - FIRST_SHARE));
  for (const share of shares.toSorted((a, b) => a - b)) {
    const due = began + share * scene.ms;
    while (performance.now() < due && !scene.isOver()) await sleep(Math.min(200, Math.max(1, due - performance.now())));
    if (scene.isOver()) return;
    await strike(scene, random);
  }
}

async function killService({ system }: Scene, random: Random): Promise<void> {
  const which = random.int(0, system.nodes.length - 1);
  const node = system.nodes[which] as Node;
  const pause = random.int(0, 300);
  // Lets some writes happen between two kills; otherwise the second has no writes to lose.
  const worked = random.int(30, 600);
  await node.kill();
  await sleep(pause);
  await node.start();
  await sleep(worked);
}

async function killHost({ system }: Scene, random: Random): Promise<void> {
  const which = random.int(0, system.database.hosts.length - 1);
  const host = system.database.hosts[which] as Host;
  const pause = random.int(0, 1_000);
  const worked = random.int(300, 1_500);
  await host.kill();
  await sleep(pause);
  await host.restart();
  await sleep(worked);
}

async function freezeService({ system, history }: Scene, random: Random): Promise<void> {
  const ms = random.int(1_000, LONGEST_FREEZE_MS);
  const which = random.int(0, system.nodes.length - 1);
  const node = system.nodes[which] as Node;
  const freeze = history.freeze('service', which);
  node.signal('SIGSTOP');
  await sleep(ms);
  node.signal('SIGCONT');
  freeze.ended = performance.now();
}

async function freezeHost({ system, history }: Scene, random: Random): Promise<void> {
  const ms = random.int(1_000, LONGEST_FREEZE_MS);
  const which = random.int(0, system.database.hosts.length - 1);
  const host = system.database.hosts[which] as Host;
  await host.freeze();
  const freeze = history.freeze('database', -1);
  await sleep(ms);
  const back = host.thaw();
  freeze.ended = performance.now();
  await back;
}

async function spoilConnection({ system }: Scene, random: Random): Promise<void> {
  const { proxies } = random.pick(system.nodes);
  const proxy = random.pick(proxies);
  const fault = random.pick(PROXY_FAULTS);
  const ms = random.int(100, 1_500);
  const delayMs = random.int(5, 80);
  if (fault === 'reset') {
    proxy.reset();
  } else if (fault === 'delay') {
    proxy.delayMs = delayMs;
    await sleep(ms);
    proxy.delayMs = 0;
  } else {
    proxy.interference = fault;
  }
}

async function stepClock({ system, history }: Scene, random: Random): Promise<void> {
  const which = random.int(0, system.nodes.length - 1);
  const seconds = random.pick(CLOCK_STEPS_S);
  system.nodes[which]?.clock?.stepTo(seconds);
  history.clockSteps += 1;
  await sleep(0);
}
