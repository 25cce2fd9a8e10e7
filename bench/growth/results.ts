import type { Figures } from '../figures.js';

/** One work on one size, beside the same on the first size in the same rounds. */
export interface SizeRow {
  size: number;
  work: string;
  figures: Figures;
  first: Figures;
}

/** A page of 100 at some depth of the feed, beside the first pages in the same rounds. */
export interface DepthRow {
  size: number;
  depth: string;
  figures: Figures;
  first: Figures;
}

export interface WriterRow {
  writers: number;
  figures: Figures;
  /** Changes that shared a commit, in the mean. */
  batch: number;
}

export interface ConnectionRow {
  idle: number;
  /** The others. */
  active: number;
  /** The greatest resident memory, in bytes. */
  rss: number;
}

export interface Growth {
  kind: 'growth';
  when: string;
  machine: string;
  database: string;
  starts: { size: number; readyMs: number }[];
  sizes: SizeRow[];
  depths: DepthRow[];
  writers: WriterRow[];
  connections: ConnectionRow[];
}

/** Microseconds of processor time for each answer, the database's among it. */
export function costOf({ serviceUs, databaseUs }: Figures): number {
  return serviceUs + databaseUs;
}

/** Times the cost of what it stands beside. */
export function growthOf({ figures, first }: { figures: Figures; first: Figures }): number {
  return costOf(figures) / costOf(first);
}
