import { type PipeTransform, Injectable } from '@nestjs/common';
import { isObject, memberOf } from '../feed/reading/asset-view.js';
import { ID } from '../feed/asset-identifiers.js';
import { fieldsInvalid } from '../platform/errors/errors.js';
import type { FieldFault } from '../asset-types/fields-json.js';

export const MAX_MEMBERS = 500;
/** The bodies of all of them together, in bytes, as of a page: they are answered at once, and `opt_pretty` holds the event loop. */
export const MAX_GROUP_BYTES = 2 * 1024 * 1024;

/** What is asked for one asset of several that are changed as one. */
export interface GroupMember {
  /** The id as it was sent, which need not look like one. */
  id: string;
  patch: Record<string, unknown>;
  /** The ETag that the asset must have, as the header has it; its quotes may be left out. */
  etag?: string;
}

/** Reads `data` of a PATCH of several assets. Source: contract section 15. */
@Injectable()
export class GroupPipe implements PipeTransform<unknown, GroupMember[]> {
  /** @throws ApiError 422 for what is no list of 1 to 500 objects with an id each, or names one of them twice */
  transform(data: unknown): GroupMember[] {
    const members = data as unknown[];
    if (members.length < 1 || members.length > MAX_MEMBERS)
      throw fieldsInvalid([{ name: 'data', description: `1 to ${MAX_MEMBERS} assets are required` }]);
    const seen = new Set<string>();
    const faults = members.flatMap((member, place) => faultsOf(member, `data.${place}`, seen));
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

/** An asset's ETag as a member has it, with its quotes. */
export function quotedTag(etag: string): string {
  return /^[0-9a-z.-]+$/.test(etag) ? `"${etag}"` : etag;
}

/** The ids that can be looked for: nothing but an id ever reaches the database. */
export function validIds(members: readonly GroupMember[]): string[] {
  return members.map(({ id }) => id).filter((id) => ID.test(id));
}
