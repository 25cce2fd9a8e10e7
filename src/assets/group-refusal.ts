import { type ApiError, type Fault, FieldsRefused, MAX_FAULTS } from '../platform/errors/api-error.js';
import { membersRefused } from '../platform/errors/errors.js';
import type { GroupMember } from './group-change.js';

/** The checks on an asset, in their order (contract section 8). */
const STATUSES = [404, 412, 403, 422];
/** Member fields that replace the path and the header of a PATCH of one asset. */
const MEMBER_FIELDS: Readonly<Record<string, string>> = { id: 'id', 'If-Match': 'etag' };

/**
 * Combines the refusals of a group: the first status in the order of checks, with the faults of every member that has it. Source: contract
 * section 15.
 * @param refusals by the index of the member
 */
export function groupRefusal(refusals: ReadonlyMap<number, ApiError>, members: readonly GroupMember[]): ApiError {
  const all = [...refusals];
  const status = STATUSES.find((candidate) => all.some(([, refusal]) => refusal.status === candidate)) as number;
  const faults = all
    .filter(([, refusal]) => refusal.status === status)
    .toSorted(([a], [b]) => a - b)
    .map(([index, refusal]) => {
      const nameOf = fieldNamer(refusal, members[index] as GroupMember);
      return refusal.faults.map((fault) => memberFault(fault, index, nameOf(fault)));
    });
  return membersRefused(status, selectFaults(faults));
}

/** @returns a function that names the faulty field of the member; undefined for the member as a whole */
function fieldNamer(refusal: ApiError, { patch }: GroupMember): (fault: Fault) => string | undefined {
  if (refusal instanceof FieldsRefused) return ({ name }) => name;
  // A fault of the state is reported at the requested move.
  const move = refusal.status === 403 && Object.hasOwn(patch, 'status') ? 'status' : undefined;
  return ({ location, name }) => (location === 'header' ? MEMBER_FIELDS[name] : move);
}

function memberFault({ description }: Fault, index: number, name: string | undefined): Fault {
  return { location: 'body', name: name === undefined ? `data.${index}` : `data.${index}.${name}`, description };
}

/** Selects the faults of an answer, the first of every member before the second of any; in the order of the members. */
function selectFaults(faults: readonly Fault[][]): Fault[] {
  const ranked = faults.flatMap((memberFaults, member) => memberFaults.map((fault, rank) => ({ fault, member, rank })));
  const selected = ranked.toSorted((a, b) => a.rank - b.rank).slice(0, MAX_FAULTS);
  return selected.toSorted((a, b) => a.member - b.member || a.rank - b.rank).map(({ fault }) => fault);
}
