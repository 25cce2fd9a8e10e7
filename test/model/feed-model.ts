import type { Step } from './explore.js';

/*
 * A small world: writers that change assets, one reader that follows the feed, a wall clock that may step back, and perhaps one crash
 * of the database. Every interleaving of their steps is possible.
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
}

interface Writer {
  phase: 'idle' | 'stamped' | 'committed' | 'gone';
  ts: number;
}

interface Reader {
  phase: 'idle' | 'pointed' | 'looking' | 'waiting';
  readsLeft: number;
  cursor: number;
  /** The instant that the mirror has of each asset; 0 for none. */
  mirror: number[];
  readPoint: number;
  /** What the view has found of each writer: 1 visible, 0 not, -1 not looked yet. */
  view: number[];
  page: [asset: number, ts: number][];
  waitsFor: number;
}

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
}

const LATEST = 9;
const TICKS = 2;

export function start(world: World): WorldState {
  const reader: Reader = {
    phase: 'idle',
    readsLeft: world.reads,
    cursor: 0,
    mirror: Array<number>(Math.max(...world.assets) + 1).fill(0),
    readPoint: LATEST,
    view: [],
    page: [],
    waitsFor: 0,
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
  };
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
  readerSteps(world, state, step);
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
    });
  }
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
  if (next.reader.phase !== 'idle') abandonRead(next.reader);
}

function readerSteps(world: World, state: WorldState, step: AddStep): void {
  const { reader } = state;
  if (reader.phase === 'idle' && reader.readsLeft > 0) beginRead(world, state, step);
  if (reader.phase === 'pointed') step('the reader opens its view', (next) => openView(world, next));
  if (reader.phase === 'looking') lookSteps(world, state, step);
  if (reader.phase === 'waiting' && clockOf(state, state.durable) >= reader.waitsFor) step('the page arrives', deliver);
}

function beginRead(world: World, state: WorldState, step: AddStep): void {
  if (!world.readPoint) step('the reader opens its view', (next) => openView(world, next));
  else if (state.holder === -1) {
    step('the reader takes its read point', (next) => {
      next.reader.readPoint = clockOf(next, next.commits.length);
      next.reader.phase = 'pointed';
    });
  }
}

function openView(world: World, next: WorldState): void {
  next.reader.phase = 'looking';
  next.reader.view = next.writers.map(() => -1);
  if (world.views === 'atomic') {
    next.reader.view = next.writers.map(({ phase }) => Number(phase === 'committed'));
    readPage(world, next);
  }
}

function lookSteps(world: World, state: WorldState, step: AddStep): void {
  state.reader.view.forEach((found, i) => {
    if (found !== -1) return;
    step(`the view looks at writer ${i}`, (next) => {
      next.reader.view[i] = Number((next.writers[i] as Writer).phase === 'committed');
      if (!next.reader.view.includes(-1)) readPage(world, next);
    });
  });
}

function readPage(world: World, next: WorldState): void {
  const { reader } = next;
  const shown = next.commits.filter((i) => reader.view[i] === 1);
  const rows = new Map(shown.map((i) => [world.assets[i] as number, (next.writers[i] as Writer).ts]));
  const horizon = world.barrier === 'horizon' ? clockOf(next, next.durable) : LATEST;
  reader.page = [...rows]
    .filter(([, ts]) => ts > reader.cursor && ts <= Math.min(reader.readPoint, horizon))
    .toSorted(([, a], [, b]) => a - b)
    .slice(0, world.limit);
  const snapshotClock = Math.max(0, ...shown.map((i) => (next.writers[i] as Writer).ts));
  const lastEntry = reader.page.at(-1)?.[1] ?? 0;
  reader.waitsFor = world.barrier === 'snapshot' ? snapshotClock : world.barrier === 'last entry' ? lastEntry : 0;
  if (reader.page.length === 0) reader.waitsFor = 0;
  reader.phase = 'waiting';
}

function deliver(next: WorldState): void {
  const { reader } = next;
  for (const [asset, ts] of reader.page) reader.mirror[asset] = ts;
  reader.cursor = reader.page.at(-1)?.[1] ?? reader.cursor;
  abandonRead(reader);
}

function abandonRead(reader: Reader): void {
  Object.assign(reader, {
    phase: 'idle',
    readsLeft: reader.readsLeft - 1,
    readPoint: LATEST,
    view: [],
    page: [],
    waitsFor: 0,
  });
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
    reader: {
      ...state.reader,
      mirror: [...state.reader.mirror],
      view: [...state.reader.view],
      page: [...state.reader.page],
    },
  };
}
