import type { AssetRow, Entry } from '../asset-row.js';

/** Decides which rows of a copy a verification may change. The copy can be the only proof of a state that the registry has shown. */
export interface Evidence {
  /** @returns the registry's rows that may overwrite the copy's */
  replaceable(rows: readonly AssetRow[]): Promise<readonly AssetRow[]>;
  /**
   * @param entries of the copy that the registry does not list
   * @param upToUs the position of the copy
   * @returns those that may be removed
   */
  removable(entries: readonly Entry[], upToUs: number): readonly Entry[];
}

/** Without a log, the registry is trusted. */
export const NO_EVIDENCE: Evidence = {
  replaceable: (rows) => Promise.resolve(rows),
  removable: (entries) => entries,
};

/** Until the log has been checked, no row is overwritten or removed. */
export const CHANGE_NOTHING: Evidence = {
  replaceable: () => Promise.resolve([]),
  removable: () => [],
};
