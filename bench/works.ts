type Reads = 'read' | 'start' | 'middle' | 'end' | 'same page' | 'whole' | 'copy';
/** The requests of a load; `copy` follows the listing of whole assets from its beginning. */
export type Kind = Reads | 'create' | 'change' | 'mix';

export interface Work {
  /** The id for `--works`; variants of one work share it. */
  id: string;
  name: string;
  kind: Kind;
  /** Set if the work is about the number of connections; otherwise `--connections` decides. */
  connections?: number;
  /** The least wanted ratio to the floor on MariaDB, in assets or answers per second. */
  wanted?: number;
  /** Set on the variant that `--quick` measures. */
  isQuick?: true;
}

/** Works that change data come last. */
export const WORKS: readonly Work[] = [
  { id: 'W1', name: 'read one asset', kind: 'read', wanted: 1.5, isQuick: true },
  { id: 'W2', name: 'page of 100, start', kind: 'start', wanted: 1.6 },
  { id: 'W2', name: 'page of 100, middle', kind: 'middle', wanted: 1.6 },
  { id: 'W2', name: 'page of 100, end', kind: 'end', wanted: 1.6, isQuick: true },
  { id: 'W2', name: 'page of 100, the same for all', kind: 'same page' },
  { id: 'W2b', name: 'page of 1,000 whole assets', kind: 'whole', wanted: 1, isQuick: true },
  { id: 'W5', name: 'copy by pages', kind: 'copy', connections: 1, wanted: 1, isQuick: true },
  { id: 'W3', name: 'create', kind: 'create', wanted: 0.9, isQuick: true },
  { id: 'W3', name: 'create, 1 connection', kind: 'create', connections: 1, wanted: 0.6 },
  { id: 'W4', name: 'PATCH of one field', kind: 'change', wanted: 1, isQuick: true },
  { id: 'W4', name: 'PATCH of one field, 1 connection', kind: 'change', connections: 1, wanted: 0.6 },
  { id: 'W6', name: 'mix of a normal day', kind: 'mix', isQuick: true },
];

export const WORK_IDS = [...new Set(WORKS.map(({ id }) => id))];
