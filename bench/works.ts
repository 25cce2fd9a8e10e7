import type { Plan } from './load/plan.js';
import type { RequestKind } from './load/requests.js';

/** One work of the benchmark. */
export interface Work {
  /** As `--works` names it, with the other variants of the same. */
  id: string;
  name: string;
  mode: Exclude<Plan['mode'], 'copy by reads'>;
  kind: RequestKind;
  /** Fixed where it is the point; otherwise what `--connections` says. */
  connections?: number;
  /** What the registry shall reach at least: times the floor, in assets or answers a second, one process of each on MariaDB. */
  target?: number;
  /** What the floor does instead, to be compared with. */
  floorMode?: Plan['mode'];
  /** The one of its kind that `--quick` measures. */
  isQuick?: true;
}

/** The most that p99 may be, times the floor's. */
export const P99_TARGET = 1.2;
/** Assets that are copied. */
export const COPIED = 100_000;
/** In this order: what changes the data comes last. */
export const WORKS: readonly Work[] = [
  { id: 'W1', name: 'read one asset', mode: 'closed', kind: 'read', target: 1.5, isQuick: true },
  { id: 'W2', name: 'page of 100, start', mode: 'closed', kind: 'start', target: 1.6 },
  { id: 'W2', name: 'page of 100, middle', mode: 'closed', kind: 'middle', target: 1.6 },
  { id: 'W2', name: 'page of 100, end', mode: 'closed', kind: 'end', target: 1.6, isQuick: true },
  { id: 'W2', name: 'page of 100, the same for all', mode: 'closed', kind: 'same page' },
  { id: 'W2b', name: 'page of 1,000 whole assets', mode: 'closed', kind: 'whole', target: 1, isQuick: true },
  { id: 'W5', name: 'copy by pages, floor likewise', mode: 'copy by pages', kind: 'whole', isQuick: true },
  {
    id: 'W5',
    name: 'copy by pages, floor by single reads',
    mode: 'copy by pages',
    kind: 'whole',
    target: 5,
    floorMode: 'copy by reads',
  },
  { id: 'W3', name: 'create', mode: 'closed', kind: 'create', target: 0.9, isQuick: true },
  { id: 'W3', name: 'create, 1 connection', mode: 'closed', kind: 'create', connections: 1, target: 0.6 },
  { id: 'W4', name: 'PATCH of one field', mode: 'closed', kind: 'change', target: 1, isQuick: true },
  { id: 'W4', name: 'PATCH of one field, 1 connection', mode: 'closed', kind: 'change', connections: 1, target: 0.6 },
  { id: 'W6', name: 'mix of a normal day, peak', mode: 'closed', kind: 'mix', isQuick: true },
  { id: 'W6', name: 'mix of a normal day, at half of the lowest peak', mode: 'paced', kind: 'mix' },
];

export const WORK_IDS = [...new Set(WORKS.map(({ id }) => id))];
