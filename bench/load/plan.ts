import type { RequestKind } from './requests.js';

/** What one generator does, until its time is over or a copy is whole. */
export interface Plan {
  /**
   * `closed`: every connection sends the next request when the last one is answered. `paced`: so many requests a second, whether earlier
   * ones are answered or not. `copy by pages`: one reader follows the listing of whole assets; `copy by reads`: it lists, and all
   * connections read the assets one by one.
   */
  mode: 'closed' | 'paced' | 'copy by pages' | 'copy by reads';
  url: string;
  /** Of further services on the same database: the connections of a closed load are shared out among all of them. */
  further?: readonly string[];
  connections: number;
  /** Not for copies. */
  kind: RequestKind;
  warmUpMs: number;
  ms: number;
  /** Requests a second; for `paced` only. */
  perSecond: number;
  /** Assets; for copies only. */
  count: number;
  /** Of the data set that is read. */
  size: number;
  /** Of the choices; another one for each measurement. */
  seed: number;
  /** Whose use of the machine is told; of one service or of all of its processes. */
  pids: { service: number[]; database: number[] };
}

/** What was seen after the warm-up. */
export interface Outcome {
  answered: number;
  /** In a copy these are more than the answers, or fewer; elsewhere as many as the answers. */
  assets: number;
  /** Answers but a success, and broken connections. */
  failed: number;
  /** Milliseconds of each success. In a paced load the wait for a free connection is part of it. */
  times: Float64Array;
  seconds: number;
  /** Of one core, that the busiest generator used. */
  generatorShare: number;
  /** That all generators together kept busy. */
  generatorCores: number;
  usage: Usage;
}

/** How much of the machine was used meanwhile. */
export interface Usage {
  /** Processor seconds, of all processes together. */
  service: number;
  database: number;
  /** Of everything on the machine. */
  machine: number;
  /** The greatest resident memory of a process of the service, in bytes. */
  rss: number;
}
