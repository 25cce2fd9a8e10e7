import { type PipeTransform, Injectable } from '@nestjs/common';
import { isObject, memberOf } from '../feed/reading/asset-view.js';
import { ID } from '../feed/asset-identifiers.js';
import { fieldsInvalid } from '../platform/errors/errors.js';
import type { FieldFault } from '../asset-types/fields-json.js';

export const MAX_MEMBERS = 500;
/** Total size of the bodies in bytes, as for a page: the answer has all of them, and formatting for `opt_pretty` blocks the event loop. */
export const MAX_GROUP_BYTES = 2 * 1024 * 1024;

/** The change of one asset of a group. */
export interface GroupMember {
  /** As sent; may be invalid. */
  id: string;
  patch: Record<string, unknown>;
  /** The ETag that the asset must have; the quotes of the header are optional. */
  etag?: string;
}

/** Parses the `data` of a PATCH of several assets. Source: contract section 15. */
@Injectable()
export class GroupPipe implements PipeTransform<unknown, GroupMember[]> {
  /** @throws ApiError 422 unless it has 1 to 500 objects, each with an id that occurs once */
  transform(data: unknown): GroupMember[] {
    const members = data as unknown[];
    if (members.length < 1 || members.length > MAX_MEMBERS)
      throw fieldsInvalid([{ name: 'data', description: `1 to ${MAX_MEMBERS} assets are required` }]);
    const seen = new Set<string>();
    const faults = members.flatMap((member, i) => faultsOf(member, `data.${i}`, seen));
    if (faults.length > 0) throw fieldsInvalid(faults);
    return (members as Record<string, unknown>[]).map(toMember);
  }
}

function faultsOf(member: unknown, path: string, seen: Set<string>): FieldFault[] {
  if (!isObject(member))
    return [{ name: path, description: 'An object with the id of an asset and what to change is required' }];
  const [id, etag] = [memberOf(member, 'id'), memberOf(member, 'etag')];
  const faults: FieldFault[] = [];
  if (typeof id !== 'string') faults.push({ name: `${path}.id`, description: 'The id of an asset is required' });
  else if (seen.has(id)) faults.push({ name: `${path}.id`, description: 'An asset may be named once only' });
  else seen.add(id);
  if (etag !== undefined && typeof etag !== 'string')
    faults.push({ name: `${path}.etag`, description: 'An ETag is a string' });
  return faults;
}

function toMember(member: Record<string, unknown>): GroupMember {
  const { id, etag, ...patch } = member;
  return { id: id as string, patch, ...(etag !== undefined && { etag: etag as string }) };
}

/** Adds missing quotes to an ETag. */
export function quotedTag(etag: string): string {
  return /^[0-9a-z.-]+$/.test(etag) ? `"${etag}"` : etag;
}

/** @returns the valid ids, because other texts never reach the database */
export function validIds(members: readonly GroupMember[]): string[] {
  return members.map(({ id }) => id).filter((id) => ID.test(id));
}
