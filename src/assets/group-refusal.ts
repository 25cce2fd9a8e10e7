import { type ApiError, type Fault, FieldsRefused, MOST_FAULTS } from '../errors/api-error.js';
import { membersRefused } from '../errors/errors.js';

/** In the order of checks (contract section 8), as far as they are made on an asset. */
const STATUSES = [404, 412, 403, 422];
/** What stands in the body here and in the request head of a PATCH of one asset. */
const OF_MEMBER: Readonly<Record<string, string>> = { id: 'id', 'If-Match': 'etag' };

/**
 * What several assets that are changed as one are refused with: the first status, in the order of checks, that any of them meets, with an
 * entry for each of these. Where there is room, all faults of each. Source: contract section 15.
 * @param refusals by the places of the members
 */
export function groupRefusal(refusals: ReadonlyMap<number, ApiError>): ApiError {
  const all = [...refusals];
  const status = STATUSES.find((candidate) => all.some(([, refusal]) => refusal.status === candidate)) as number;
  const faults = all
    .filter(([, refusal]) => refusal.status === status)
    .toSorted(([a], [b]) => a - b)
    .map(([place, refusal]) => refusal.faults.map((fault) => inMember(fault, place, refusal instanceof FieldsRefused)));
  return membersRefused(status, withEach(faults));
}

function inMember({ location, name, description }: Fault, place: number, isOfField: boolean): Fault {
  if (location === 'header') return { location: 'body', name: `data.${place}.${OF_MEMBER[name]}`, description };
  return { location, name: isOfField ? `data.${place}.${name}` : `data.${place}`, description };
}

/** Of the entries that an answer has room for, the first of each member before the second of any; in the order of the members. */
function withEach(faults: readonly Fault[][]): Fault[] {
  const ranked = faults.flatMap((ofOne, member) => ofOne.map((fault, rank) => ({ fault, member, rank })));
  const told = ranked.toSorted((a, b) => a.rank - b.rank).slice(0, MOST_FAULTS);
  return told.toSorted((a, b) => a.member - b.member || a.rank - b.rank).map(({ fault }) => fault);
}
