import { Injectable, type PipeTransform } from '@nestjs/common';
import { ASSET_ID, ID } from '../feed/asset-identifiers.js';
import { AssetTypes } from '../asset-types/asset-types.js';
import { ApiError, RepeatedParameter } from '../platform/errors/api-error.js';
import { malformedParameter } from '../platform/errors/errors.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import { type Parameter, Query } from '../http/request-target.js';
import { AssetSearch } from '../search/asset-search.js';
import { SEARCH_PARAMETERS, SORTS } from '../search/search-parameters.js';
import { SearchQueryPipe } from '../search/search-query.pipe.js';
import { truncate } from '../platform/text/truncate.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { normalizeTyped, ambiguitiesOf, USUAL_CURRENCY } from './typed-values.js';
import { availableStates } from './filter-choices.js';
import {
  ANY_STATE,
  AVAILABLE_NOW,
  type Condition,
  type FeedQuery,
  MAX_VALUE_LENGTH,
  type PageQuery,
} from './page-query.js';
import type { Offered } from './search-form.js';
import { isOfAmounts, without } from './list-links.js';
import { ConditionInvalid, nameOf, ruleOf, SearchInvalid } from './search-errors.js';
import { TEXTS } from './texts.js';
import { currentName } from './page-context.js';

/** The filters of the search. */
const {
  sort: _sort,
  facets: _facets,
  limit: _limit,
  offset: _offset,
  opt_fields: _fields,
  ...FILTERS
} = SEARCH_PARAMETERS;
const CONDITIONS = new Set([...Object.keys(FILTERS), 'sort']);
const LISTS = new Set(['status', 'assetType']);
const NONE: ReadonlySet<string> = new Set();
/** A limit, because every link of the page repeats the conditions. */
const MAX_CONDITIONS = 30;
const CURSOR = /^\d+(?:_|$)/;

/**
 * Parses the query of the first page: the parameters of the search. Unknown parameters are ignored, because foreign links add them. `type` is an
 * earlier name of `assetType`. An instant as `offset` is one of the listing: changes since then, or before with `descending`.
 */
@Injectable()
export class PageQueryPipe implements PipeTransform<Query, Promise<PageQuery>> {
  private readonly available: readonly Condition[];

  constructor(
    private readonly searches: SearchQueryPipe,
    private readonly search: AssetSearch,
    private readonly time: RegistryTime,
    types: AssetTypes,
  ) {
    this.available = availableStates(types).map((value) => ({ name: 'status', value }));
  }

  /** @throws SearchInvalid if the form can show the errors, else ApiError 400 */
  async transform(sent: Query): Promise<PageQuery> {
    const { query, errors } = this.readable(sent, []);
    if (errors.length === 0) return query;
    const refused = new Set(errors.map(nameOf));
    throw new SearchInvalid(errors, {
      query,
      conditions: [...this.asFilledIn(sent, refused), ...query.conditions.filter(({ name }) => !refused.has(name))],
      offered: await this.offered(),
    });
  }

  /** Optional: errors of the form are shown even if the database is unavailable. */
  private offered(): Promise<Offered> {
    return this.search.choices().catch(() => ({ regions: [], currencies: [] }));
  }

  /** The conditions as typed. Malformed values of a list come first, because the form shows only the first one. */
  private asFilledIn(sent: Query, names: ReadonlySet<string>): Condition[] {
    const given = distinct(conditionsIn(sent).filter(({ name }) => names.has(name)));
    const unread = given.filter((one) => !this.isReadable(one));
    return [...unread, ...given.filter((one) => !unread.includes(one))];
  }

  private isReadable(one: Condition): boolean {
    try {
      return this.read(new Query([{ ...one, wellFormed: true }]), NONE) !== undefined;
    } catch {
      return false;
    }
  }

  /** Parses the query without its malformed filters, and collects their errors. @param errors found so far */
  private readable(sent: Query, errors: readonly ApiError[]): { query: PageQuery; errors: readonly ApiError[] } {
    const refused = new Set(errors.map(nameOf));
    try {
      return { query: this.read(sent, refused), errors };
    } catch (error) {
      if (!(error instanceof ApiError) || !isOfForm(error, sent) || refused.has(nameOf(error))) throw error;
      return this.readable(sent, [...errors, error]);
    }
  }

  /** @param refused filters to leave out */
  private read(sent: Query, refused: ReadonlySet<string>): PageQuery {
    const sentConditions = conditionsIn(sent);
    const given = sentConditions.map((one) => ({ ...one, value: normalizeTyped(one.name, one.value) }));
    // Without the search the list is the feed, which has one order.
    const typed = this.search.isOn ? given : given.filter(({ name }) => name !== 'sort');
    const isAny = typed.some(({ name, value }) => name === 'status' && value === ANY_STATE);
    const isOfOne = typed.some(isNumber);
    const chosen = typed.flatMap((one) => (one.name === 'status' ? this.statesOf(one, { isAny, isOfOne }) : [one]));
    const { offset, isOfListing, isBack } = this.cursorOf(sent);
    const isChosen = chosen.some(({ name }) => name !== 'sort');
    const isPreset = !isAny && !isOfListing && !isChosen;
    const asked = distinct(isPreset ? [...this.available, ...chosen] : chosen);
    refuseTooMany(asked);
    const conditions = withCurrency(asked.filter(({ name }) => !refused.has(name)));
    const wanted = offset === undefined ? conditions : [...conditions, { name: 'offset', value: offset }];
    const { query, page } = this.searches.transform(new Query(wanted.map((one) => ({ wellFormed: true, ...one }))));
    const [fault] = sentConditions.filter(({ name }) => !refused.has(name)).flatMap((one) => ambiguitiesOf(one, query));
    if (fault !== undefined) throw fault;
    const { isByValue, isDescending, after } = page;
    const isAvailable = this.isAvailable(query.status);
    const others = without(conditions, 'status');
    const shown = isAvailable ? [...others, { name: 'status', value: AVAILABLE_NOW }] : conditions;
    return {
      conditions: shown,
      query,
      isByValue,
      isDescending,
      isPreset,
      isAvailable,
      isSearch: isChosen,
      after,
      isBack,
    };
  }

  private isAvailable(states: readonly string[]): boolean {
    const { available } = this;
    return states.length === available.length && available.every(({ value }) => states.includes(value));
  }

  /** An assetID or id finds the asset in any state, although the form always sends a state. */
  private statesOf(one: Parameter, { isAny, isOfOne }: Record<'isAny' | 'isOfOne', boolean>): readonly Condition[] {
    if (isAny) return [];
    if (one.value !== AVAILABLE_NOW) return [one];
    return isOfOne ? [] : this.available;
  }

  private cursorOf(sent: Query): { offset: string | undefined; isOfListing: boolean; isBack: boolean } {
    const cursor = sent.get('offset')?.trim();
    if (cursor !== undefined && CURSOR.test(cursor))
      return { offset: cursor, isOfListing: false, isBack: Boolean(sent.get('back')) };
    const instant = QUERY_PARAMETERS.offset.read(sent, this.time);
    if (instant === undefined) return { offset: undefined, isOfListing: false, isBack: false };
    const isBack = !QUERY_PARAMETERS.descending.read(sent);
    return { offset: String(Math.max(instant.us, 0)), isOfListing: true, isBack };
  }
}

/** Parses the query of the Atom feed: the filters of the search. Unknown parameters are refused, as programs send it. */
@Injectable()
export class FeedQueryPipe implements PipeTransform<Query, FeedQuery> {
  constructor(private readonly searches: SearchQueryPipe) {}

  /** @throws ApiError 400 */
  transform(sent: Query): FeedQuery {
    const own = sent.parameters.filter(({ name }) => name !== 'lang');
    const other = own.find(({ name }) => name !== 'offset' && !Object.hasOwn(FILTERS, name));
    if (other !== undefined)
      throw malformedParameter(
        other.name,
        `The feed has the filters of the search: ${Object.keys(FILTERS).join(', ')}`,
      );
    const { query, page } = this.searches.transform(new Query(own));
    const conditions = own.filter(({ name, value }) => name !== 'offset' && value !== '');
    return { conditions, query: conditions.length === 0 ? undefined : query, after: page.after };
  }
}

/** Checks before `withCurrency` adds the default currency. */
function refuseTooMany(conditions: readonly Condition[]): void {
  const one = conditions[MAX_CONDITIONS];
  if (one === undefined) return;
  throw new ConditionInvalid(malformedParameter(one.name, `A page has ${MAX_CONDITIONS} conditions`), 'tooMany');
}

/** Whether a field of the form can show the error: it has one value, or is a list. */
function isOfForm(error: ApiError, sent: Query): boolean {
  if (error instanceof RepeatedParameter) return false;
  if (error instanceof ConditionInvalid && error.reason === 'tooMany') return false;
  const name = nameOf(error);
  if (!CONDITIONS.has(name) || ruleOf(name, TEXTS.en) === undefined) return false;
  return LISTS.has(name) || distinct(conditionsIn(sent).filter((one) => one.name === name)).length === 1;
}

/** The conditions of the query, by their current names. */
function conditionsIn({ parameters }: Query): Parameter[] {
  return parameters.map(normalizeParameter).filter(isGiven);
}

function normalizeParameter(parameter: Parameter): Parameter {
  const value = truncate(parameter.value.trim(), MAX_VALUE_LENGTH);
  return { ...parameter, name: currentName(parameter.name), value };
}

/** Whether the value is a whole assetID or id. */
function isNumber({ name, value }: Condition): boolean {
  return name === 'q' && (ASSET_ID.test(value) || ID.test(value.toLowerCase()));
}

/** The default order is left out. */
function isGiven({ name, value }: Condition): boolean {
  return CONDITIONS.has(name) && value !== '' && !(name === 'sort' && value === SORTS[0]);
}

/** Adds the default currency to prices, because amounts of different currencies cannot be compared. */
function withCurrency(conditions: readonly Condition[]): readonly Condition[] {
  if (!conditions.some(isOfAmounts) || conditions.some(({ name }) => name === 'currency')) return conditions;
  return [...conditions, { name: 'currency', value: USUAL_CURRENCY }];
}

function distinct(conditions: readonly Condition[]): Condition[] {
  return conditions.filter(
    ({ name, value }, i) => conditions.findIndex((other) => other.name === name && other.value === value) === i,
  );
}
