import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { HostAddress } from '../../platform/config/database-url.js';
import { Hosts } from './hosts.js';
import { HostMonitor } from './host-monitor.js';

const [ONE, TWO, THREE] = [1, 2, 3].map((n) => ({ host: `db${n}`, port: 3306 })) as [
  HostAddress,
  HostAddress,
  HostAddress,
];

/** How each host reacts to a probe; `frozen` does not answer before the deadline. */
type Behaviour = 'answers' | 'is full' | 'refuses' | 'frozen';

let behaviour: Map<HostAddress, Behaviour>;
let events: string[];
/** `trouble` of the usable probe results. */
let signs: (string | undefined)[];
let unusable: Set<HostAddress>;
let hosts: Hosts;
let monitor: HostMonitor;

function start(all: HostAddress[]): void {
  hosts = new Hosts(all);
  jest.spyOn(hosts, 'dropConnections').mockImplementation(() => void events.push('cut'));
  monitor = new HostMonitor(hosts, async (host) => {
    if (behaviour.get(host) === 'frozen')
      await new Promise((resolve) => setTimeout(resolve, all.length > 1 ? 1_500 : 3_000));
    const how = behaviour.get(host) ?? 'answers';
    const usable = ['answers', 'is full'].includes(how);
    return { usable, trouble: how === 'answers' ? undefined : `it ${how}` };
  });
  monitor.start({
    onProbe: ({ host }, { usable, trouble }) => {
      if (usable) signs.push(trouble);
      else if (events.at(-1) !== `away ${host}`) events.push(`away ${host}`);
    },
    prepare: async (host) => {
      if (!unusable.has(host)) events.push(`in use ${host.host}`);
      return !unusable.has(host);
    },
  });
}

/** The outcome of a request, and how many milliseconds it waited. */
async function request(): Promise<string> {
  const began = performance.now();
  const outcome = await monitor.ready().then(
    () => 'goes on',
    () => '503',
  );
  return `${outcome} after ${Math.round(performance.now() - began)}`;
}

const after = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  jest.useFakeTimers();
  behaviour = new Map();
  events = [];
  signs = [];
  unusable = new Set();
});
afterEach(async () => {
  const stopped = monitor.stop();
  await after(10_000);
  await stopped;
  jest.useRealTimers();
});

describe('the monitor of one host', () => {
  beforeEach(() => start([ONE]));

  it('detects a frozen host within 3.3 s, drops its connections, then answers 503 at once', async () => {
    await after(1_000);
    behaviour.set(ONE, 'frozen');
    await after(3_300);
    expect(events).toEqual(['away db1', 'cut']);
    expect(monitor.isAway).toBe(true);
    expect(await request()).toBe('503 after 0');
  });

  it('probes at once when a connection failed, and requests wait for the result', async () => {
    await after(10);
    behaviour.set(ONE, 'refuses');
    monitor.doubt();
    const waiting = request();
    await after(0);
    expect(await waiting).toBe('503 after 0');
  });

  it('lets requests continue if the host still answers', async () => {
    await after(10);
    monitor.doubt();
    const waiting = request();
    await after(0);
    expect(await waiting).toBe('goes on after 0');
    expect(events).toEqual([]);
  });

  it('keeps using a host that refuses new connections, because open ones still work, and reports the refusal', async () => {
    await after(10);
    behaviour.set(ONE, 'is full');
    monitor.doubt();
    const waiting = request();
    await after(0);
    expect(await waiting).toBe('goes on after 0');
    expect(signs).toEqual([undefined, 'it is full']);
    expect(events).toEqual([]);
  });
});

describe('the monitor of several hosts', () => {
  beforeEach(() => start([ONE, TWO, THREE]));

  it('fails over when the host refuses; requests wait meanwhile and then continue', async () => {
    await after(10);
    behaviour.set(ONE, 'refuses');
    monitor.doubt();
    const waiting = request();
    await after(0);
    expect(await waiting).toBe('goes on after 0');
    expect(hosts.current).toBe(TWO);
    expect(events).toEqual(['away db1', 'cut', 'in use db2']);
  });

  it('fails over from a frozen host within 1.8 s', async () => {
    await after(100);
    behaviour.set(ONE, 'frozen');
    await after(1_800);
    expect(hosts.current).toBe(TWO);
    expect(await request()).toBe('goes on after 0');
  });

  it('skips a host that does not answer either', async () => {
    behaviour.set(TWO, 'frozen');
    behaviour.set(ONE, 'refuses');
    await after(2_000);
    expect(hosts.current).toBe(THREE);
  });

  it('does not return when the first host is back', async () => {
    behaviour.set(ONE, 'refuses');
    await after(1_000);
    behaviour.set(ONE, 'answers');
    await after(1_000);
    expect(hosts.current).toBe(TWO);
  });

  it('drops connections to a host that answers but cannot be prepared', async () => {
    unusable.add(TWO);
    behaviour.set(ONE, 'refuses');
    monitor.doubt();
    await after(0);
    expect(events).toEqual(['away db1', 'cut', 'cut']);
    behaviour.set(ONE, 'answers');
    await after(250);
    expect([hosts.current, events.at(-1)]).not.toEqual([TWO, 'in use db2']);
    expect(await request()).toBe('goes on after 0');
  });

  it('returns to the failed host if only that one answers', async () => {
    for (const host of [ONE, TWO, THREE]) behaviour.set(host, 'refuses');
    await after(1_000);
    expect(await request()).toBe('503 after 0');
    behaviour.set(ONE, 'answers');
    await after(250);
    expect(hosts.current).toBe(ONE);
    expect(await request()).toBe('goes on after 0');
  });
});
