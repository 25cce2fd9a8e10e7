import type { Step } from './explore.js';

/*
 * A small world: writers that change assets, one reader that follows the feed, a wall clock that may step back, and perhaps one crash
 * of the database. Every interleaving of their steps is possible. Where the reader follows live, the end of the feed is read by another, the
 * tail, who gives the reader what it has read while the reader waits there (src/listing/live/change-broadcast.ts).
 */

export interface World {
  /** The asset that each writer changes, once. */
  assets: readonly number[];
  /** `wall`: a timestamp taken without a lock. `clock row`: an instant taken under a lock that is held until the commit. */
  stamps: 'wall' | 'clock row';
  /** A read view is one moment; or it looks at one transaction after the other, as MariaDB's does. */
  views: 'atomic' | 'torn';
  readPoint: boolean;
  /** False: a commit is visible first and durable later, as InnoDB without a binary log. */
  visibleMeansDurable: boolean;
  /** What an answer waits for: nothing, the clock of its snapshot, its last entry; or it leaves out what is not durable. */
  barrier: 'none' | 'snapshot' | 'last entry' | 'horizon';
  crash: boolean;
  stepsBack: number;
  /** Entries of a page. */
  limit: number;
  reads: number;
  live: Live | undefined;
}

/** How the reader follows live. */
export interface Live {
  /** With what a reader may begin to wait at the tail: with the page that is being given, with the one before it, or with anything. */
  joins: 'level' | 'one page behind' | 'anywhere';
  /** Whether a waiting reader that cannot be given a page reads it himself. */
  wakes: boolean;
  /** What is given there: pages as they are read; or besides, at once, what this process commits, which has every second writer. */
  gives: 'pages' | 'own commits';
  /** Of the tail, the first of which finds out where the end is. */
  reads: number;
}

interface Writer {
  phase: 'idle' | 'stamped' | 'committed' | 'gone';
  ts: number;
}

type Entry = [asset: number, ts: number];

interface Reading {
  phase: 'idle' | 'pointed' | 'looking' | 'waiting';
  readsLeft: number;
  cursor: number;
  readPoint: number;
  /** What the view has found of each writer: 1 visible, 0 not, -1 not looked yet. */
  view: number[];
  page: Entry[];
  waitsFor: number;
}

interface Reader extends Reading {
  /** The instant that the mirror has of each asset; 0 for none. */
  mirror: number[];
  /** Whether it waits at the tail. */
  isMember: boolean;
}

interface Tail extends Reading {
  /** Whether it is known where the end is. */
  hasBegun: boolean;
  /** The end of the last page that was given to all. */
  givenTo: number;
  /** The page that is being given to those who waited when it was read; empty between two pages. */
  given: Entry[];
  /** Whether the reader is one of them, and his turn is still to come. */
  owesReader: boolean;
}

type Role = 'reader' | 'tail';

export interface WorldState {
  wall: number;
  stepsBackLeft: number;
  writers: Writer[];
  /** The writer that holds the clock row, or -1. */
  holder: number;
  /** Writers in the order of their commits; the first `durable` of them would survive a crash. */
  commits: number[];
  durable: number;
  crashed: boolean;
  reader: Reader;
  tail: Tail;
}

const LATEST = 9;
const TICKS = 2;

export function start(world: World): WorldState {
  const mirror = Array<number>(Math.max(...world.assets) + 1).fill(0);
  const reader: Reader = { ...readingOf(world.reads), mirror, isMember: false };
  const tail: Tail = {
    ...readingOf(world.live?.reads ?? 0),
    hasBegun: false,
    givenTo: 0,
    given: [],
    owesReader: false,
  };
  return {
    wall: 1,
    stepsBackLeft: world.stepsBack,
    writers: world.assets.map(() => ({ phase: 'idle', ts: 0 })),
    holder: -1,
    commits: [],
    durable: 0,
    crashed: false,
    reader,
    tail,
  };
}

function readingOf(readsLeft: number): Reading {
  return { phase: 'idle', readsLeft, cursor: 0, readPoint: LATEST, view: [], page: [], waitsFor: 0 };
}

/** Everything that can happen next. */
export function stepsFrom(world: World, state: WorldState): Step<WorldState>[] {
  const steps: Step<WorldState>[] = [];
  const step = (name: string, happen: (next: WorldState) => void): void => {
    const next = structuredCloneOf(state);
    happen(next);
    steps.push([name, next]);
  };
  timeSteps(state, step);
  state.writers.forEach((_, i) => writerSteps(world, state, i, step));
  if (state.durable < state.commits.length) step('flush', (next) => void next.durable++);
  if (world.crash && !state.crashed) step('crash', crash);
  if (!state.reader.isMember) readSteps(world, state, 'reader', step);
  if (world.live !== undefined) liveSteps(world, world.live, state, step);
  return steps;
}

type AddStep = (name: string, happen: (next: WorldState) => void) => void;

function timeSteps(state: WorldState, step: AddStep): void {
  if (state.wall < TICKS) step('tick', (next) => void next.wall++);
  if (state.stepsBackLeft > 0 && state.wall > 1) {
    step('the clock steps back', (next) => {
      next.wall = 1;
      next.stepsBackLeft--;
    });
  }
}

function writerSteps(world: World, state: WorldState, i: number, step: AddStep): void {
  const { phase } = state.writers[i] as Writer;
  if (phase === 'idle' && mayStamp(world, state, i)) {
    step(`writer ${i} takes its instant`, (next) => {
      const ts = world.stamps === 'wall' ? next.wall : Math.max(clockOf(next, next.commits.length) + 1, next.wall);
      next.writers[i] = { phase: 'stamped', ts };
      if (world.stamps === 'clock row') next.holder = i;
    });
  }
  if (phase === 'stamped') {
    step(`writer ${i} commits`, (next) => {
      (next.writers[i] as Writer).phase = 'committed';
      next.commits.push(i);
      if (world.visibleMeansDurable) next.durable = next.commits.length;
      if (next.holder === i) next.holder = -1;
      if (world.live?.gives === 'own commits' && i % 2 === 0) announce(world, next, i);
    });
  }
}

function announce(world: World, { reader, writers }: WorldState, i: number): void {
  if (reader.isMember) take(reader, [[world.assets[i] as number, (writers[i] as Writer).ts]]);
}

/** A writer waits for the clock row, and for another one that is changing the same asset. */
function mayStamp(world: World, state: WorldState, i: number): boolean {
  if (world.stamps === 'clock row') return state.holder === -1;
  return !state.writers.some(({ phase }, other) => phase === 'stamped' && world.assets[other] === world.assets[i]);
}

/** What is not durable is gone, and so is what was under way. */
function crash(next: WorldState): void {
  next.crashed = true;
  next.commits = next.commits.slice(0, next.durable);
  next.writers.forEach((writer, i) => {
    if (writer.phase !== 'idle' && !next.commits.includes(i)) next.writers[i] = { phase: 'gone', ts: 0 };
  });
  next.holder = -1;
  for (const one of [next.reader, next.tail]) if (one.phase !== 'idle') endRead(one);
}

function readSteps(world: World, state: WorldState, role: Role, step: AddStep): void {
  const reader = state[role];
  if (reader.phase === 'idle' && reader.readsLeft > 0) beginRead(world, state, role, step);
  if (reader.phase === 'pointed') step(`the ${role} opens its view`, (next) => openView(world, next, role));
  if (reader.phase === 'looking') lookSteps(world, state, role, step);
  if (reader.phase === 'waiting' && clockOf(state, state.durable) >= reader.waitsFor)
    step(`the page of the ${role} arrives`, role === 'reader' ? deliver : hold);
}

function beginRead(world: World, state: WorldState, role: Role, step: AddStep): void {
  if (!world.readPoint) step(`the ${role} opens its view`, (next) => openView(world, next, role));
  else if (state.holder === -1) {
    step(`the ${role} takes its read point`, (next) => {
      next[role].readPoint = clockOf(next, next.commits.length);
      next[role].phase = 'pointed';
    });
  }
}

function openView(world: World, next: WorldState, role: Role): void {
  const reader = next[role];
  reader.phase = 'looking';
  reader.view = next.writers.map(() => -1);
  if (world.views === 'atomic') {
    reader.view = next.writers.map(({ phase }) => Number(phase === 'committed'));
    readPage(world, next, reader);
  }
}

function lookSteps(world: World, state: WorldState, role: Role, step: AddStep): void {
  state[role].view.forEach((found, i) => {
    if (found !== -1) return;
    step(`the view of the ${role} looks at writer ${i}`, (next) => {
      const { view } = next[role];
      view[i] = Number((next.writers[i] as Writer).phase === 'committed');
      if (!view.includes(-1)) readPage(world, next, next[role]);
    });
  });
}

function readPage(world: World, next: WorldState, reader: Reading): void {
  const shown = next.commits.filter((i) => reader.view[i] === 1);
  const rows = new Map(shown.map((i) => [world.assets[i] as number, (next.writers[i] as Writer).ts]));
  const horizon = world.barrier === 'horizon' ? clockOf(next, next.durable) : LATEST;
  const entries = [...rows]
    .filter(([, ts]) => ts > reader.cursor && ts <= Math.min(reader.readPoint, horizon))
    .toSorted(([, a], [, b]) => a - b);
  reader.page = reader === next.tail && !next.tail.hasBegun ? entries.slice(-1) : entries.slice(0, world.limit);
  const snapshotClock = Math.max(0, ...shown.map((i) => (next.writers[i] as Writer).ts));
  const lastEntry = reader.page.at(-1)?.[1] ?? 0;
  reader.waitsFor = world.barrier === 'snapshot' ? snapshotClock : world.barrier === 'last entry' ? lastEntry : 0;
  if (reader.page.length === 0) reader.waitsFor = 0;
  reader.phase = 'waiting';
}

function deliver({ reader }: WorldState): void {
  take(reader, reader.page);
  endRead(reader);
}

function take(reader: Reader, entries: readonly Entry[]): void {
  for (const [asset, ts] of entries) reader.mirror[asset] = ts;
  reader.cursor = entries.at(-1)?.[1] ?? reader.cursor;
}

function endRead(reader: Reading): void {
  Object.assign(reader, readingOf(reader.readsLeft - 1), { cursor: reader.cursor });
}

function liveSteps(world: World, live: Live, state: WorldState, step: AddStep): void {
  const { reader, tail } = state;
  // The next page is read when this one was given to all.
  if (tail.given.length === 0) readSteps(world, state, 'tail', step);
  if (reader.phase === 'idle' && !reader.isMember && mayJoin(live, state))
    step('the reader waits at the tail', (next) => void (next.reader.isMember = true));
  if (tail.given.length === 0) return;
  if (tail.owesReader) {
    step('the reader is given the page', give);
    step('the reader cannot be given the page', (next) => passOver(live, next));
  } else step('the page was given to all', endGiving);
}

function mayJoin({ joins }: Live, { reader, tail }: WorldState): boolean {
  if (joins === 'anywhere' || !tail.hasBegun) return true;
  return reader.cursor >= (joins === 'level' ? tail.cursor : tail.givenTo);
}

/** What the tail has read. The first page says where the end is, and who waits there and has less goes to read. */
function hold({ reader, tail }: WorldState): void {
  const lastTs = tail.page.at(-1)?.[1] ?? tail.cursor;
  if (tail.hasBegun) {
    tail.given = tail.page;
    tail.owesReader = reader.isMember && reader.cursor < lastTs;
  } else {
    tail.givenTo = lastTs;
    if (reader.cursor < lastTs) reader.isMember = false;
  }
  tail.cursor = lastTs;
  tail.hasBegun = true;
  endRead(tail);
}

function give({ reader, tail }: WorldState): void {
  take(reader, tail.given.filter(([, ts]) => ts > reader.cursor)); // prettier-ignore
  tail.owesReader = false;
}

function passOver({ wakes }: Live, { reader, tail }: WorldState): void {
  if (wakes) reader.isMember = false;
  tail.owesReader = false;
}

function endGiving({ tail }: WorldState): void {
  tail.given = [];
  tail.givenTo = tail.cursor;
}

/** The clock after the first `count` commits. */
function clockOf({ commits, writers }: WorldState, count: number): number {
  return Math.max(0, ...commits.slice(0, count).map((i) => (writers[i] as Writer).ts));
}

/** Once nobody writes any more: what stands behind the reader's offset and is not in its mirror is missed for ever. */
export function faultOf(world: World, { writers, commits, durable, reader }: WorldState): string | undefined {
  const over = writers.every(({ phase }) => phase === 'committed' || phase === 'gone') && durable === commits.length;
  if (!over) return undefined;
  const rows = new Map(commits.map((i) => [world.assets[i] as number, (writers[i] as Writer).ts]));
  for (let asset = 0; asset < reader.mirror.length; asset++) {
    const ts = rows.get(asset) ?? 0;
    const seen = reader.mirror[asset] as number;
    if (seen > ts) return `phantom: the mirror has asset ${asset} at ${seen}, the registry at ${ts}`;
    if (ts <= reader.cursor && seen < ts) return `missed: asset ${asset} at ${ts}, the reader is at ${reader.cursor}`;
  }
  return undefined;
}

/** JSON values only; several times as fast as structuredClone. */
function structuredCloneOf(state: WorldState): WorldState {
  return {
    ...state,
    writers: state.writers.map((writer) => ({ ...writer })),
    commits: [...state.commits],
    reader: { ...copyOf(state.reader), mirror: [...state.reader.mirror] },
    tail: { ...copyOf(state.tail), given: [...state.tail.given] },
  };
}

function copyOf<Read extends Reading>(reading: Read): Read {
  return { ...reading, view: [...reading.view], page: [...reading.page] };
}
