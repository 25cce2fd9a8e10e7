import type { Selection } from '../asset-row.js';
import type { CopyState } from '../copies/copy.js';
import { EXIT, SyncError } from '../sync-error.js';

/** What is to be copied, and how. */
export interface Plan extends Selection {
  url: string;
  newestFirst: boolean;
  /** An empty copy begins with the registry's snapshot, and not with pages. */
  snapshot: boolean;
  /** The copy is made beside another one: it begins anew where that is one of another history. */
  beside: boolean;
  /** The log is kept too. */
  log: boolean;
}

/**
 * What a copy keeps is decided when it is begun.
 * @param wanted by the user; null where nothing was said
 * @throws SyncError when the copy that is there keeps something else
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
  throw new SyncError(`The copy was begun ${was}: --resync makes it anew`, EXIT.usage);
}
