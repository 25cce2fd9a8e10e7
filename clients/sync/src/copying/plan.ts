import type { Selection } from '../asset-row.js';
import type { CopyState } from '../copies/copy.js';
import { EXIT, SyncError } from '../sync-error.js';

/** Contents and manner of copying. */
export interface Plan extends Selection {
  url: string;
  newestFirst: boolean;
  /** An empty copy begins with the registry's snapshot instead of pages. */
  snapshot: boolean;
  /** The copy is made beside another one; after a change of epoch it begins again. */
  isResync: boolean;
  /** The log is copied too. */
  log: boolean;
}

/**
 * A copy's selection is fixed when it is begun.
 * @param wanted by the user; null if not given
 * @throws SyncError if the existing copy has another selection
 */
export function selectionFor(wanted: Selection, state: CopyState | undefined): Selection {
  if (state === undefined) return wanted;
  const { fields, types, filter } = state;
  checkSame('fields', wanted.fields, fields);
  checkSame('type', wanted.types, types);
  checkSame('filter', wanted.filter === null ? null : [wanted.filter], filter === null ? null : [filter]);
  return { fields, types, filter };
}

function checkSame(option: string, wanted: readonly string[] | null, kept: readonly string[] | null): void {
  if (wanted === null || (kept?.length === wanted.length && wanted.every((name) => kept.includes(name)))) return;
  const was = kept === null ? `without --${option}` : `with --${option} ${kept.join(',')}`;
  throw new SyncError(`The copy was begun ${was}: --resync makes a new copy`, EXIT.usage);
}
