import type { Selection } from '../asset-row.js';
import type { CopyState } from '../copies/copy.js';
import { EXIT, SyncError } from '../sync-error.js';

/** What to copy, and how. */
export interface Plan extends Selection {
  url: string;
  newestFirst: boolean;
  /** Whether an empty copy begins with the registry's snapshot instead of pages. */
  snapshot: boolean;
  /** Whether the copy will replace an existing one. It begins again after a change of epoch. */
  isResync: boolean;
  /** Whether the log is copied too. */
  log: boolean;
}

/**
 * Returns the selection to copy, which is fixed when a copy is begun.
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

function checkSame(option: string, wanted: readonly string[] | null, existing: readonly string[] | null): void {
  if (wanted === null || (existing?.length === wanted.length && wanted.every((name) => existing.includes(name))))
    return;
  const was = existing === null ? `without --${option}` : `with --${option} ${existing.join(',')}`;
  throw new SyncError(`The copy was begun ${was}: --resync makes a new copy`, EXIT.usage);
}
