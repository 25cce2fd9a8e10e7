import { logger } from '../../platform/logging/logger.js';
import { EncodedText } from '../../platform/text/encoded-text.js';
import { checksumOf, isWhole, type DeltaPart, type Pieces, restoreBody, restorePieces } from './body-delta.js';
import { type ReadAsset, type ReadRow, toReadAsset } from './asset-row.js';
import type { Revision } from '../entities/revision.entity.js';
import type { RowOf } from '../entities/entity-table.js';

/** A past public state of an asset as a driver returns it, with the stored delta as `body`. */
export type EndedStateRow = Pick<
  Revision,
  'version' | 'status' | 'relatedLot' | 'owner' | 'sameStart' | 'sameEnd' | 'checksum'
> &
  Pick<RowOf<Revision>, 'modifiedUs' | 'untilUs'> & {
    body: Buffer;
    /** 1 if a revision, public or not, ended when this state began. */
    hasPredecessor: number;
  };

/** The asset's current state. */
export type PresentRow = ReadRow & Pick<EndedStateRow, 'version' | 'hasPredecessor'> & { listed: number };

/** An asset at an instant, as far as one read view shows it. */
export interface PastAsset {
  /** Undefined if it did not exist, was not public, or is unknown. */
  asset: ReadAsset | undefined;
  /**
   * Instant in microseconds of a change whose result the view shows, without the state that it ended. If that change is being committed, a
   * later view shows both.
   */
  missingUs: number | undefined;
}

interface State extends DeltaPart {
  version: number;
  modifiedUs: number;
  /** Infinity for the current state. */
  untilUs: number;
  status: string;
  relatedLot: string | null;
  /** Null if it has not changed since. */
  owner: string | null;
  hasPredecessor: boolean;
  /** Undefined for the current state. */
  checksum: number | undefined;
}

const UNKNOWN: PastAsset = { asset: undefined, missingUs: undefined };
const CHECKSUM_MISMATCH =
  'a state of an asset does not match its checksum and is answered with 404: something has changed the database behind the service; ' +
  'docs/operations/troubleshooting.md, "A state does not match its checksum", says what to do';

/**
 * Restores an asset at an instant.
 * @param us the instant in microseconds
 * @param ended the public state at the instant, and later ones up to the next whole body
 */
export function pastAsset(us: number, now: PresentRow, ended: readonly EndedStateRow[]): PastAsset {
  const all = [...ended.map(toEnded).toSorted((one, other) => one.modifiedUs - other.modifiedUs), toPresent(now)];
  const index = all.findLastIndex(({ modifiedUs }) => modifiedUs <= us);
  const states = all.slice(Math.max(index, 0));
  const [state, next] = states as [State, State | undefined];
  if (state.modifiedUs > us) return state.version === 1 || state.hasPredecessor ? UNKNOWN : missingBefore(state);
  if (next !== undefined && state.untilUs <= us) return missingBefore(next);
  if (next === undefined && now.listed === 0) return UNKNOWN;
  const chain = chainToWhole(states);
  if ('missingUs' in chain) return chain;
  const body = Buffer.concat(chain.reduceRight<Pieces>((after, earlier) => restorePieces(earlier, after), []));
  const { status, relatedLot, modifiedUs, owner } = state;
  if (state.checksum !== undefined && state.checksum !== checksumOf(body)) {
    logger.error({ asset: now.id, version: state.version, modifiedUs }, CHECKSUM_MISMATCH);
    return UNKNOWN;
  }
  const asset = { ...toReadAsset({ ...now, body }), status, relatedLot, modifiedUs, owner: owner ?? now.owner };
  return { asset, missingUs: undefined };
}

/** A past public state of an asset as stored. Instants in microseconds. */
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

/** Restores a past state from the next one. @returns undefined if `next` is not the next state, or the checksum does not match */
export function stateBefore(next: ReadAsset, stored: StoredState): ReadAsset | undefined {
  if (!isWhole(stored) && next.modifiedUs !== stored.untilUs) return undefined;
  const body = restoreBody(stored, next.body.toBuffer());
  if (checksumOf(body) !== stored.checksum) return undefined;
  const { status, relatedLot, owner, modifiedUs } = stored;
  return { ...next, body: EncodedText.from(body), status, relatedLot, owner, modifiedUs };
}

/** The states from the first to the first whole one; each must begin when the previous one ends. */
function chainToWhole(states: readonly State[]): State[] | PastAsset {
  const chain: State[] = [];
  for (const state of states) {
    const before = chain.at(-1);
    if (before !== undefined && before.untilUs !== state.modifiedUs) return missingBefore(state);
    chain.push(state);
    if (isWhole(state)) break;
  }
  return chain;
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
    hasPredecessor: row.hasPredecessor === 1,
  };
}
