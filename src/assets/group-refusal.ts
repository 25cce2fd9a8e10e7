import { type ApiError, type Fault, FieldsRefused, MAX_FAULTS } from '../platform/errors/api-error.js';
import { membersRefused } from '../platform/errors/errors.js';
import type { GroupMember } from './group-change.js';

/** In the order of checks (contract section 8), as far as they are made on an asset. */
const STATUSES = [404, 412, 403, 422];
/** What stands in the body here and in the request head of a PATCH of one asset. */
const OF_MEMBER: Readonly<Record<string, string>> = { id: 'id', 'If-Match': 'etag' };

/**
 * What several assets that are changed as one are refused with: the first status, in the order of checks, that any of them meets, with an
 * entry for each of these. Where there is room, all faults of each. Source: contract section 15.
 * @param refusals by the places of the members
 */
export function groupRefusal(refusals: ReadonlyMap<number, ApiError>, members: readonly GroupMember[]): ApiError {
  const all = [...refusals];
  const status = STATUSES.find((candidate) => all.some(([, refusal]) => refusal.status === candidate)) as number;
  const faults = all
    .filter(([, refusal]) => refusal.status === status)
    .toSorted(([a], [b]) => a - b)
    .map(([place, refusal]) => {
      const nameOf = namesIn(refusal, members[place] as GroupMember);
      return refusal.faults.map((fault) => inMember(fault, place, nameOf(fault)));
    });
  return membersRefused(status, withEach(faults));
}

/** @returns a function that names the member's field that a fault is about; undefined where it is about the member as a whole */
function namesIn(refusal: ApiError, { patch }: GroupMember): (fault: Fault) => string | undefined {
  if (refusal instanceof FieldsRefused) return ({ name }) => name;
  // What the state forbids stands at the move that was asked for.
  const move = refusal.status === 403 && Object.hasOwn(patch, 'status') ? 'status' : undefined;
  return ({ location, name }) => (location === 'header' ? OF_MEMBER[name] : move);
}

function inMember({ description }: Fault, place: number, name: string | undefined): Fault {
  return { location: 'body', name: name === undefined ? `data.${place}` : `data.${place}.${name}`, description };
}

/** Chooses the faults that an answer has room for: the first of every member before the second of any, told in the order of the members. */
function withEach(faults: readonly Fault[][]): Fault[] {
  const ranked = faults.flatMap((ofOne, member) => ofOne.map((fault, rank) => ({ fault, member, rank })));
  const told = ranked.toSorted((a, b) => a.rank - b.rank).slice(0, MAX_FAULTS);
  return told.toSorted((a, b) => a.member - b.member || a.rank - b.rank).map(({ fault }) => fault);
}
