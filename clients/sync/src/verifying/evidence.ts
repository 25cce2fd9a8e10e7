import type { AssetRow, Entry } from '../asset-row.js';

/** Decides what a verification may take from a copy. What a copy keeps can be the only proof of what a registry has shown. */
export interface Evidence {
  /** @returns those of the registry's rows that may be written over what the copy has */
  replaceable(rows: readonly AssetRow[]): Promise<readonly AssetRow[]>;
  /**
   * @param entries of the copy that the registry does not list
   * @param upToUs the position of the copy
   * @returns those that may be removed
   */
  removable(entries: readonly Entry[], upToUs: number): readonly Entry[];
}

/** Without a log, the registry is right. */
export const NO_EVIDENCE: Evidence = {
  replaceable: (rows) => Promise.resolve(rows),
  removable: (entries) => entries,
};

/** Nothing is overwritten and nothing is removed, as long as the log has not been compared. */
export const ALL_KEPT: Evidence = {
  replaceable: () => Promise.resolve([]),
  removable: () => [],
};
