import { logger } from '../../platform/logging/logger.js';
import { EncodedText } from '../../platform/text/encoded-text.js';
import { checksumOf, isWhole, type DeltaPart, type Pieces, restoreBody, restorePieces } from './body-delta.js';
import { type ReadAsset, type ReadRow, toReadAsset } from './asset-row.js';
import type { Revision } from '../entities/revision.entity.js';
import type { RowOf } from '../entities/entity-table.js';

/** A public state of an asset that a change has ended, as drivers hand it out. Its body is what was kept of it. */
export type EndedStateRow = Pick<
  Revision,
  'version' | 'status' | 'relatedLot' | 'owner' | 'sameStart' | 'sameEnd' | 'checksum'
> &
  Pick<RowOf<Revision>, 'modifiedUs' | 'untilUs'> & {
    body: Buffer;
    /** 1 where there is a revision that ends with it, public or not. */
    follows: number;
  };

/** The asset as it is now. */
export type PresentRow = ReadRow & Pick<EndedStateRow, 'version' | 'follows'> & { listed: number };

/** An asset as it was at an instant, as far as one read view shows it. */
export interface PastAsset {
  /** Undefined where it was not there or not public, or is not known. */
  asset: ReadAsset | undefined;
  /**
   * Instant in microseconds of a change of which the view shows what it led to, and not what it ended. Where that change is on its
   * way to its commit, another view shows more.
   */
  missingUs: number | undefined;
}

interface State extends DeltaPart {
  version: number;
  modifiedUs: number;
  /** Infinity now. */
  untilUs: number;
  status: string;
  relatedLot: string | null;
  /** Null where it has been the same ever since. */
  owner: string | null;
  follows: boolean;
  /** Undefined now. */
  checksum: number | undefined;
}

const UNKNOWN: PastAsset = { asset: undefined, missingUs: undefined };
const NOT_AS_KEPT =
  'a state of an asset does not match its checksum and is answered with 404: something has changed the database behind the service; ' +
  'docs/operations/troubleshooting.md, "A state does not match its checksum", says what to do';

/**
 * Puts an asset together as it was at an instant.
 * @param us the instant in microseconds
 * @param ended the public state of the instant, and as many later ones as are kept in part one after the other
 */
export function pastAsset(us: number, now: PresentRow, ended: readonly EndedStateRow[]): PastAsset {
  const all = [...ended.map(toEnded).toSorted((one, other) => one.modifiedUs - other.modifiedUs), toPresent(now)];
  const place = all.findLastIndex(({ modifiedUs }) => modifiedUs <= us);
  const states = all.slice(Math.max(place, 0));
  const [state, next] = states as [State, State | undefined];
  if (state.modifiedUs > us) return state.version === 1 || state.follows ? UNKNOWN : missingBefore(state);
  if (next !== undefined && state.untilUs <= us) return missingBefore(next);
  if (next === undefined && now.listed === 0) return UNKNOWN;
  const kept = keptTogether(states);
  if ('missingUs' in kept) return kept;
  const body = Buffer.concat(kept.reduceRight<Pieces>((after, earlier) => restorePieces(earlier, after), []));
  const { status, relatedLot, modifiedUs, owner } = state;
  if (state.checksum !== undefined && state.checksum !== checksumOf(body)) {
    logger.error({ asset: now.id, version: state.version, modifiedUs }, NOT_AS_KEPT);
    return UNKNOWN;
  }
  const asset = { ...toReadAsset({ ...now, body }), status, relatedLot, modifiedUs, owner: owner ?? now.owner };
  return { asset, missingUs: undefined };
}

/** A public state of an asset that a change has ended, as it was kept. Instants in microseconds. */
export interface StoredState extends DeltaPart {
  /** Id. */
  asset: string;
  modifiedUs: number;
  untilUs: number;
  status: string;
  relatedLot: string | null;
  owner: string;
  checksum: number;
}

/** Puts a past state together from the state that came next. @returns undefined where `next` is another one, or it is not as it was kept */
export function stateBefore(next: ReadAsset, kept: StoredState): ReadAsset | undefined {
  if (!isWhole(kept) && next.modifiedUs !== kept.untilUs) return undefined;
  const body = restoreBody(kept, next.body.toBuffer());
  if (checksumOf(body) !== kept.checksum) return undefined;
  const { status, relatedLot, owner, modifiedUs } = kept;
  return { ...next, body: EncodedText.from(body), status, relatedLot, owner, modifiedUs };
}

/** The states from the first one to the first whole one, each of which begins where the one before it ends. */
function keptTogether(states: readonly State[]): State[] | PastAsset {
  const kept: State[] = [];
  for (const state of states) {
    const before = kept.at(-1);
    if (before !== undefined && before.untilUs !== state.modifiedUs) return missingBefore(state);
    kept.push(state);
    if (isWhole(state)) break;
  }
  return kept;
}

function missingBefore({ modifiedUs }: State): PastAsset {
  return { asset: undefined, missingUs: modifiedUs };
}

function toEnded(row: EndedStateRow): State {
  const { sameStart, sameEnd, checksum } = row;
  return { ...sharedOf(row), untilUs: Number(row.untilUs), sameStart, sameEnd, checksum };
}

function toPresent(row: PresentRow): State {
  return { ...sharedOf(row), untilUs: Infinity, sameStart: 0, sameEnd: 0, checksum: undefined };
}

function sharedOf(row: EndedStateRow | PresentRow) {
  return {
    version: row.version,
    modifiedUs: Number(row.modifiedUs),
    status: row.status,
    relatedLot: row.relatedLot,
    owner: row.owner,
    body: row.body,
    follows: row.follows === 1,
  };
}
