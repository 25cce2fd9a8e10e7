import { Injectable, type PipeTransform } from '@nestjs/common';
import { ASSET_ID, ID } from '../asset/identifiers.js';
import { AssetTypes } from '../asset-types/asset-types.js';
import type { Cursor } from '../database/search/index-query.js';
import { ApiError } from '../errors/api-error.js';
import { malformedParameter } from '../errors/errors.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import { type Parameter, Query } from '../http/request-head.js';
import { AssetSearch } from '../search/asset-search.js';
import { SEARCH_PARAMETERS, SORTS } from '../search/search-parameters.js';
import { SearchQueryPipe } from '../search/search-query.pipe.js';
import type { SearchQuery } from '../search/search-query.js';
import { RegistryTime } from '../time/registry-time.js';
import { availableStates } from './listed-choices.js';
import { ruleOf, SearchRefused } from './search-refused.js';
import { TEXTS } from './texts.js';

/** A filter with its value, or `sort`: as the search takes them. */
export type Condition = Pick<Parameter, 'name' | 'value'>;

/** What is asked of the first page. */
export interface PageQuery {
  /** What the page shows, as the search takes it. */
  conditions: readonly Condition[];
  query: SearchQuery;
  isByValue: boolean;
  isDescending: boolean;
  /** Nothing was chosen: what is available now is shown. */
  isPreset: boolean;
  /** What is available now is shown, and nothing else: it was chosen, or nothing was. */
  isAvailable: boolean;
  /** Whether something was chosen, and not everything. */
  isSearch: boolean;
  /** Where to go on from; with `isBack` towards the first page. */
  after: Cursor | undefined;
  isBack: boolean;
}

/** What the Atom feed has; without a query the newest changes of all. */
export interface FeedQuery {
  conditions: readonly Condition[];
  query: SearchQuery | undefined;
}

/** Words of the form for states. No state has a hyphen in its name. */
export const AVAILABLE_NOW = 'available-now';
export const ANY_STATE = 'any-state';

/** What chooses assets. */
const {
  sort: _sort,
  facets: _facets,
  limit: _limit,
  offset: _offset,
  opt_fields: _fields,
  ...FILTERS
} = SEARCH_PARAMETERS;
const CONDITIONS = new Set([...Object.keys(FILTERS), 'sort']);
const EARLIER_NAMES: Readonly<Record<string, string>> = { type: 'assetType' };
const AMOUNTS = new Set(['valueFrom', 'valueTo']);
const HRYVNIAS = /(?:грн\.?|гривень|гривн[яі]|₴|UAH)$/iu;
const THOUSANDS = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const DAYS = new Set(['modifiedFrom', 'modifiedTo']);
const DAY_AS_WRITTEN = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:\s*р\.?)?$/u;
/** Where a price is asked for in no currency: the registry is Ukraine's. */
const USUAL_CURRENCY = 'UAH';
/** What people type is looked at so far. */
export const LONGEST = 200;
/** Every link repeats them. */
const MOST_CONDITIONS = 30;
const CURSOR = /^\d+(?:_|$)/;

/**
 * Reads the query of the first page: the parameters of the search. What it does not know is ignored, as links of others bring it along. `type`
 * is what `assetType` was called, and an instant in the place of a cursor is of the listing: what has changed since, or before with `descending`.
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

  /** @throws SearchRefused where the form can be shown again, else ApiError 400 */
  async transform(sent: Query): Promise<PageQuery> {
    const { query, errors } = this.readable(sent, []);
    if (errors.length === 0) return query;
    const refused = new Set(errors.map(nameOf));
    const [regions, currencies] = await Promise.all([this.search.regions(), this.search.currencies()]);
    throw new SearchRefused(errors, {
      query,
      conditions: [...asFilledIn(sent, refused), ...query.conditions.filter(({ name }) => !refused.has(name))],
      offered: { regions, currencies },
    });
  }

  /** The query without the filters that cannot be read, and what is wrong with each of those. @param errors of filters that are left out */
  private readable(sent: Query, errors: readonly ApiError[]): { query: PageQuery; errors: readonly ApiError[] } {
    const refused = new Set(errors.map(nameOf));
    const rest = sent.parameters.filter(({ name }) => !refused.has(currentName(name)));
    try {
      return { query: this.read(new Query(rest)), errors };
    } catch (error) {
      // One of the form's fields, and not again.
      if (!(error instanceof ApiError) || !isOfForm(nameOf(error)) || refused.has(nameOf(error))) throw error;
      return this.readable(sent, [...errors, error]);
    }
  }

  private read(sent: Query): PageQuery {
    const given = sent.parameters.map(asTyped).filter(isGiven);
    // The feed has one order.
    const typed = this.search.isOn ? given : given.filter(({ name }) => name !== 'sort');
    const isAny = typed.some(({ name, value }) => name === 'status' && value === ANY_STATE);
    const isOfOne = typed.some(isNumber);
    const chosen = typed.flatMap((one) => (one.name === 'status' ? this.statesOf(one, { isAny, isOfOne }) : [one]));
    const { offset, isOfListing, isBack } = this.placeOf(sent);
    const isChosen = chosen.some(({ name }) => name !== 'sort');
    const isPreset = !isAny && !isOfListing && !isChosen;
    const conditions = distinct(withCurrency(isPreset ? [...this.available, ...chosen] : chosen));
    if (conditions.length > MOST_CONDITIONS)
      throw malformedParameter(
        (conditions[MOST_CONDITIONS] as Condition).name,
        `A page has ${MOST_CONDITIONS} conditions`,
      );
    const wanted = offset === undefined ? conditions : [...conditions, { name: 'offset', value: offset }];
    const { query, page } = this.searches.transform(new Query(wanted.map((one) => ({ wellFormed: true, ...one }))));
    const { isByValue, isDescending, after } = page;
    const isAvailable = this.isAvailable(query.status);
    return { conditions, query, isByValue, isDescending, isPreset, isAvailable, isSearch: isChosen, after, isBack };
  }

  private isAvailable(states: readonly string[]): boolean {
    const { available } = this;
    return states.length === available.length && available.every(({ value }) => states.includes(value));
  }

  /** The form always sends a state: who types a whole number wants that asset, whatever its state is. */
  private statesOf(one: Parameter, { isAny, isOfOne }: Record<'isAny' | 'isOfOne', boolean>): readonly Condition[] {
    if (isAny) return [];
    if (one.value !== AVAILABLE_NOW) return [one];
    return isOfOne ? [] : this.available;
  }

  private placeOf(sent: Query): { offset: string | undefined; isOfListing: boolean; isBack: boolean } {
    const cursor = sent.get('offset')?.trim();
    if (cursor !== undefined && CURSOR.test(cursor))
      return { offset: cursor, isOfListing: false, isBack: Boolean(sent.get('back')) };
    const instant = QUERY_PARAMETERS.offset.read(sent, this.time);
    if (instant === undefined) return { offset: undefined, isOfListing: false, isBack: false };
    const isBack = !QUERY_PARAMETERS.descending.read(sent);
    return { offset: String(Math.max(instant.us, 0)), isOfListing: true, isBack };
  }
}

/** Reads the query of the Atom feed: the filters of the search. Programs follow it, so that what is unknown is refused. */
@Injectable()
export class FeedQueryPipe implements PipeTransform<Query, FeedQuery> {
  constructor(private readonly searches: SearchQueryPipe) {}

  /** @throws ApiError 400 */
  transform(sent: Query): FeedQuery {
    const own = sent.parameters.filter(({ name }) => name !== 'lang');
    const other = own.find(({ name }) => !Object.hasOwn(FILTERS, name));
    if (other !== undefined)
      throw malformedParameter(
        other.name,
        `The feed has the filters of the search: ${Object.keys(FILTERS).join(', ')}`,
      );
    const { query } = this.searches.transform(new Query(own));
    const conditions = own.filter(({ value }) => value !== '');
    return { conditions, query: conditions.length === 0 ? undefined : query };
  }
}

/** Each of them once, as the form has it. */
function asFilledIn(sent: Query, names: ReadonlySet<string>): Condition[] {
  const given = sent.parameters.map(({ name, value }) => ({
    name: currentName(name),
    value: value.slice(0, LONGEST).toWellFormed(),
  }));
  return [...names].flatMap((one) => given.filter(({ name }) => name === one).slice(0, 1));
}

function nameOf({ faults }: ApiError): string {
  return faults[0]?.name ?? '';
}

/** Whether the form has a field for it in which something may be wrong. */
function isOfForm(name: string): boolean {
  return CONDITIONS.has(name) && ruleOf(name, TEXTS.en) !== undefined;
}

function currentName(name: string): string {
  return EARLIER_NAMES[name] ?? name;
}

function asTyped(parameter: Parameter): Parameter {
  const name = currentName(parameter.name);
  const value = parameter.value.trim().slice(0, LONGEST).toWellFormed();
  if (AMOUNTS.has(name)) return { ...parameter, name, value: decimal(value) };
  return { ...parameter, name, value: DAYS.has(name) ? day(value) : value };
}

/** Whether it is the whole number of one asset: its assetID or its id. */
function isNumber({ name, value }: Condition): boolean {
  return name === 'q' && (ASSET_ID.test(value) || ID.test(value.toLowerCase()));
}

/** The usual order is none. */
function isGiven({ name, value }: Condition): boolean {
  return CONDITIONS.has(name) && value !== '' && !(name === 'sort' && value === SORTS[0]);
}

/** People write `12 500,50 грн` and `1,250,000.50`. */
function decimal(amount: string): string {
  const dense = amount.replaceAll(/\s/gu, '').replace(HRYVNIAS, '');
  return THOUSANDS.test(dense) ? dense.replaceAll(',', '') : dense.replace(/^(\d+),(\d{1,2})$/, '$1.$2');
}

/** People write `1.2.2026`. */
function day(written: string): string {
  const [, days = '', months = '', year] = DAY_AS_WRITTEN.exec(written) ?? [];
  return year === undefined ? written : `${year}-${months.padStart(2, '0')}-${days.padStart(2, '0')}`;
}

/** Amounts of different currencies cannot be compared. */
function withCurrency(conditions: readonly Condition[]): readonly Condition[] {
  const needsOne = conditions.some(
    ({ name, value }) => AMOUNTS.has(name) || (name === 'sort' && value.endsWith('value')),
  );
  if (!needsOne || conditions.some(({ name }) => name === 'currency')) return conditions;
  return [...conditions, { name: 'currency', value: USUAL_CURRENCY }];
}

function distinct(conditions: readonly Condition[]): Condition[] {
  return conditions.filter(
    ({ name, value }, i) => conditions.findIndex((other) => other.name === name && other.value === value) === i,
  );
}
