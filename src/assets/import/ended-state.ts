import type { Asset } from '../../database/entities/asset.entity.js';
import type { Revision } from '../../database/entities/revision.entity.js';
import { isSame, memberOf } from '../../feed/reading/asset-view.js';
import { revisionOf } from '../../feed/writing/written-rows.js';

type JsonObject = Record<string, unknown>;

/** @returns the revision of a state that `next` ends, with the names of changed fields */
export function endedState(state: Asset, next: Asset): Revision {
  const [before, after] = [fieldsOf(state), fieldsOf(next)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !isSame(memberOf(before, name), memberOf(after, name)));
  return { ...revisionOf(state, { body: next.body, changed }), untilUs: next.modifiedUs };
}

/** The fields that a request can change. */
function fieldsOf({ status, body, owner, relatedLot }: Asset): JsonObject {
  return { status, ...(JSON.parse(body) as JsonObject), owner, relatedLot };
}
