/** What a runner does at the moment. */
export type Step =
  'snapshot' | 'pages' | 'newest first' | 'indexing' | 'log' | 'caught up' | 'comparing' | 'checking the log';

/** Why nothing comes at the moment. */
export interface Wait {
  reason: string;
  ms: number;
  /** A sentence, where there is more to say. */
  why?: string;
  /** The registry says at once when something comes. */
  isLive?: true;
}

/** Told how the copying goes on. */
export interface CopyObserver {
  /** How many entries of the feed there are to copy. */
  expects(entries: number): void;
  step(step: Step): void;
  /** So much of the log is kept, or checked. */
  logged(entries: number, of: number): void;
  /**
   * Written.
   * @param entries of the feed that they were among; 0 for new changes while older assets are copied
   * @param lastAssetId undefined where none of them is kept
   */
  copied(assets: number, entries: number, lastAssetId: string | undefined): void;
  /** What the registry shows of an entry now is not what that binds: the copy keeps its own. @param why a sentence */
  refused(why: string): void;
  /** The registry has answered. */
  heard(): void;
  /** The copy holds all changes up to this instant, in microseconds since 1970 UTC. */
  reached(us: number): void;
  wait(wait: Wait): void;
}
