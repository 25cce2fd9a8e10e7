/** What a runner does at the moment. */
export type Step = 'snapshot' | 'pages' | 'newest first' | 'indexing' | 'caught up' | 'comparing';

/** Why nothing comes at the moment. */
export interface Wait {
  reason: string;
  ms: number;
}

/** Told how the copying goes on. */
export interface CopyObserver {
  /** The feed's first and last instants, as far as they are known: how far the copy has come is told by time. Microseconds. */
  spans(firstUs: number, lastUs: number): void;
  step(step: Step): void;
  /**
   * Written.
   * @param atUs where in the feed it goes on; undefined for new changes while older assets are copied
   * @param lastAssetId undefined where none of them is kept
   */
  copied(assets: number, atUs: number | undefined, lastAssetId: string | undefined): void;
  wait(wait: Wait): void;
}
