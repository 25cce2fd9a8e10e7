import type { Revision } from './entities/revision.entity.js';

/** Columns of the table, in the order in which rows are written. */
export const REVISION_COLUMNS = [
  'until_us',
  'asset',
  'version',
  'modified_us',
  'status',
  'related_lot',
  'body',
  'same_start',
  'same_end',
  'checksum',
  'listed',
  'changed',
] as const;

/** The values of a row in the order of REVISION_COLUMNS. */
export function toRevisionRow(revision: Revision): unknown[] {
  const {
    untilUs,
    asset,
    version,
    modifiedUs,
    status,
    relatedLot,
    body,
    sameStart,
    sameEnd,
    checksum,
    listed,
    changed,
  } = revision;
  return [untilUs, asset, version, modifiedUs, status, relatedLot, body, sameStart, sameEnd, checksum, listed, changed];
}
