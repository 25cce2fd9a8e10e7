import { Injectable, type PipeTransform } from '@nestjs/common';
import type { FeedRange } from '../database/feed-reader.js';
import { malformedParameter } from '../errors/errors.js';
import type { Query } from '../http/request-target.js';
import { RegistryTime } from '../time/registry-time.js';

/** A checked query of the listing. Source: contract section 6. */
export interface ListingQuery {
  limit: number;
  /** As it was sent, with a lost `+` put back; undefined when none was. */
  offset: string | undefined;
  offsetUs: number | undefined;
  newestFirst: boolean;
  /** Asset fields to add to each entry; `*` for whole assets. */
  fields: readonly string[] | '*';
  /** The query as it was sent, for the links. */
  sent: Query;
}

const DEFAULT_LIMIT = 100;
export const MOST_ENTRIES = 1_000;

/** Reads the query of the listing. Empty counts as absent; unknown parameters are ignored. */
@Injectable()
export class ListingQueryPipe implements PipeTransform<Query, ListingQuery> {
  constructor(private readonly time: RegistryTime) {}

  transform(sent: Query): ListingQuery {
    const offset = restorePlus(sent.get('offset'));
    return {
      limit: readLimit(sent.get('limit')),
      offset,
      offsetUs: readInstant(this.time, 'offset', offset),
      newestFirst: isOn(sent.get('descending')),
      fields: readFieldNames(sent.get('opt_fields')),
      sent,
    };
  }
}

/** What part of a feed a query asks for. */
export function rangeOf({
  newestFirst,
  offsetUs,
  limit,
}: Pick<ListingQuery, 'newestFirst' | 'offsetUs' | 'limit'>): Omit<FeedRange, 'whole'> {
  return {
    afterUs: newestFirst ? -1 : (offsetUs ?? -1),
    beforeUs: newestFirst ? (offsetUs ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER,
    newestFirst,
    limit,
  };
}

/** @returns microseconds; undefined where none was sent @throws ApiError 400 with the parameter's name */
export function readInstant(time: RegistryTime, name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const us = time.parse(text);
  if (us === undefined) throw malformedParameter(name, 'An ISO 8601 date, or date and time, is required');
  return us;
}

/** A `+` that is not percent-encoded arrives as a space; before the digits of a UTC offset it can be nothing else. */
export function restorePlus(offset: string | undefined): string | undefined {
  return offset?.replace(/ (\d{2}:?\d{2})$/, '+$1') || undefined;
}

function readLimit(text: string | undefined): number {
  if (!text) return DEFAULT_LIMIT;
  const limit = /^\d+$/.test(text) ? Number(text) : 0;
  if (limit === 0) throw malformedParameter('limit', 'A whole number from 1 is required');
  return Math.min(limit, MOST_ENTRIES);
}

/** Present, and none of the words for off. */
export function isOn(text: string | undefined): boolean {
  return text !== undefined && text !== '' && text !== '0' && text !== 'false';
}

function readFieldNames(text: string | undefined): readonly string[] | '*' {
  const names = (text ?? '').split(',').map((name) => name.trim());
  return names.includes('*') ? '*' : names.filter((name) => name !== '');
}
