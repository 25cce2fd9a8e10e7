import { printDecimal } from '../asset-types/fields-json.js';
import { malformedParameter } from '../platform/errors/errors.js';
import { instant, QUERY_PARAMETERS } from '../http/query-parameters.js';
import type { SchemaObject } from 'openapi3-ts/oas31';

export interface SearchParameter {
  description: string;
  schema?: SchemaObject;
  /** The parameter may be repeated. */
  isList?: boolean;
}

export const SORTS = ['-dateModified', 'dateModified', 'value', '-value'] as const;
export const FACETS = ['status', 'assetType', 'region'] as const;

export type FacetName = (typeof FACETS)[number];

const AMOUNT_FORM = 'a plain decimal; needs `currency`';

/** Query parameters of the search; hits satisfy all of them, and an empty one counts as absent. Source: contract section 11. */
export const SEARCH_PARAMETERS = {
  q: {
    description:
      'Words or their prefixes, in any grammatical form: in titles, descriptions, the name of the custodian, address and classification; an assetID, its day or its last digits (leading zeros may be left out), an id, a code. All must match',
  },
  status: { description: 'The state; repeat it to match any of several', isList: true },
  assetType: { description: 'The name of an installed type; repeat it to match any of several', isList: true },
  region: {
    description:
      'The region of an address of the asset; repeat it to match any of several. The 27 regions of Ukraine match in any spelling, Ukrainian or English (`Львівська обл.`, `Lviv`)',
    isList: true,
  },
  custodian: { description: 'The code of the custodian; repeat it to match any of several', isList: true },
  classification: {
    description:
      'The scheme in any case, and the code or its prefix: `CPV`, `CPV:34`, `CPV 34110000-1`; or the code alone: `34`',
  },
  relatedLot: { description: 'The lot that the asset is linked to: 24 to 32 lower-case hex characters' },
  owner: { description: 'The name of the broker' },
  currency: { description: 'The currency of the value: an ISO 4217 code' },
  valueFrom: { description: `The least amount of the value: ${AMOUNT_FORM}` },
  valueTo: { description: `The largest amount of the value: ${AMOUNT_FORM}` },
  modifiedFrom: instant(
    'modifiedFrom',
    'Last changed at this instant or later, in the form of `offset` of the listing',
  ),
  modifiedTo: instant('modifiedTo', 'Last changed before this instant, in the same form'),
  sort: {
    description:
      'The order: by the time of the last change or by the amount of the value, `-` for descending. By value needs `currency`, and finds only assets with an amount. With `dateModified`, poll `next_page` to get later changes',
    schema: { type: 'string', enum: [...SORTS], default: SORTS[0] },
  },
  facets: {
    description: 'Counts of the hits by value: a list of `status`, `assetType` and `region`, separated by commas',
  },
  limit: QUERY_PARAMETERS.limit,
  offset: { description: '`next_page.offset` of the previous page' },
  opt_fields: QUERY_PARAMETERS.opt_fields,
} satisfies Record<string, SearchParameter>;

export type SearchParameterName = keyof typeof SEARCH_PARAMETERS;

const NON_FILTERS: readonly SearchParameterName[] = ['sort', 'facets', 'limit', 'offset', 'opt_fields'];

export const FILTERS = (Object.keys(SEARCH_PARAMETERS) as SearchParameterName[]).filter(
  (name) => !NON_FILTERS.includes(name),
);

const CURSOR = /^(\d{1,16})(?:_(\d{1,16}(?:\.\d{1,9})?))?$/;

/** The cursor behind a hit: its instant, and its amount if hits are ordered by amount. */
export function printCursor({ modifiedUs, amount }: { modifiedUs: number; amount?: number }): string {
  return amount === undefined ? String(modifiedUs) : `${modifiedUs}_${printDecimal(amount)}`;
}

/** @throws ApiError 400 unless it is a cursor of this order */
export function readCursor(text: string, isByValue: boolean): { us: number; amount: number | undefined } {
  const [, us, amount] = CURSOR.exec(text) ?? [];
  if (us === undefined || (amount !== undefined) !== isByValue)
    throw malformedParameter('offset', 'The offset of a page of the same search is required');
  return { us: Number(us), amount: amount === undefined ? undefined : Number(amount) };
}

/** More digits than any amount has, because programs send their largest number to mean no bound. */
const DECIMAL = /^\d{1,20}(?:\.\d{1,30})?$/;
const BOUND_DESCRIPTION =
  'A plain decimal number from 0 is required, such as 1250.50, with at most 20 digits before the point and 30 behind it';

/**
 * Parses a bound of amounts. Amounts have at most 15 digits, so each has its own double. A bound with more digits may lie between two
 * doubles; `isInside` says whether the nearest one satisfies it.
 * @throws ApiError 400
 */
export function readBound(name: 'valueFrom' | 'valueTo', text: string): { amount: number; isInside: boolean } {
  if (!DECIMAL.test(text)) throw malformedParameter(name, BOUND_DESCRIPTION);
  const amount = Number(text);
  const difference = compareDecimals(text, printDecimal(amount));
  return { amount, isInside: name === 'valueFrom' ? difference <= 0 : difference >= 0 };
}

function compareDecimals(one: string, other: string): number {
  const [a, b] = [digitsOf(one), digitsOf(other)];
  return a < b ? -1 : Number(a > b);
}

/** Scaled by 10^30. */
function digitsOf(text: string): bigint {
  const [whole = '', parts = ''] = text.split('.');
  return BigInt(whole + parts.padEnd(30, '0'));
}
