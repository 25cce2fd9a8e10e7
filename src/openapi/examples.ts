import type { AssetType } from '../asset-types/asset-type.js';
import { lifecycleOf } from '../asset-types/lifecycle.js';
import { readFields, withItemIds, printFields } from '../asset-types/fields-json.js';
import { SERVICE_FIELDS } from '../asset-types/service-fields.js';
import { printAsset } from '../feed/reading/asset-view.js';
import { formatAssetId, itemIdsOf } from '../feed/asset-identifiers.js';
import { Query } from '../http/request-target.js';
import { nextPage } from '../listing/feed-pages.js';
import { RegistryTime } from '../platform/time/registry-time.js';

const TIME = new RegistryTime('Europe/Kyiv');
const CREATED_US = 1_502_897_773_882_146;
const ID = '4a0f5e1c6b8d4f3e9a7c2d1b0e9f8a7c';
const TOKEN = '8d8eb1e2b2bdc9d431d9bcf14fb3c65e';

/** Examples by schema name and example name. */
export type Examples = Readonly<Record<string, Record<string, { value: unknown }>>>;

/** Examples that depend on the installed types or on the service's URL; openapi.yaml has the others. @param base of absolute links */
export function examplesFor(types: readonly AssetType[], base: string): Examples {
  const ofEach = (which: (example: ExamplesOfType) => unknown): Record<string, { value: unknown }> =>
    Object.fromEntries(types.map((type) => [type.name, { value: which(examplesOf(type)) }]));
  const answered = ofEach((example) => example.answered);
  return {
    AssetCreation: ofEach(({ created }) => created),
    AssetChange: ofEach(({ patch }) => patch),
    AssetAnswer: answered,
    ChangedAnswer: answered,
    CreatedAnswer: ofEach(createdExample),
    HistoryAnswer: { history: { value: historyExample(base) }, ...answered },
    Page: { page: { value: pageExample(base) } },
    SearchPage: { page: { value: searchExample(base) } },
  };
}

interface ExamplesOfType {
  /** The answer to the creation of the type's own example. */
  answered: Record<string, unknown>;
  /** Bodies of requests. */
  created: Record<string, unknown>;
  patch: Record<string, unknown>;
}

function examplesOf(type: AssetType): ExamplesOfType {
  const { initial, moves } = lifecycleOf(type);
  const move = moves.find(({ from, by }) => from === initial && by === 'owner');
  return {
    answered: { data: answeredExample(type) },
    created: { data: type.example.data },
    patch: { data: move === undefined ? {} : { status: move.to } },
  };
}

/** The answer to POST. */
function createdExample({ answered }: ExamplesOfType): Record<string, unknown> {
  return { access: { token: TOKEN }, ...answered };
}

/** A page with one entry, for a request without parameters. */
function pageExample(base: string): Record<string, unknown> {
  const dateModified = TIME.print(CREATED_US);
  const origin = { base, path: '/api/0.1/assets', query: new Query([]) };
  return { next_page: nextPage(origin, dateModified), data: [{ id: ID, dateModified }] };
}

/** A page of a search with one hit. */
function searchExample(base: string): Record<string, unknown> {
  const dateModified = TIME.print(CREATED_US);
  const origin = { base, path: '/api/0.1/assets/search', query: new Query([]) };
  const counted = { total: 1, total_is_exact: true, indexed_up_to: dateModified, facets: { status: { pending: 1 } } };
  return { next_page: nextPage(origin, String(CREATED_US)), ...counted, data: [{ id: ID, dateModified }] };
}

/** The history of an asset that was published and changed once. */
function historyExample(base: string): Record<string, unknown> {
  const [published, changed] = [CREATED_US, CREATED_US + 60_000_000].map((us) => TIME.print(us)) as [string, string];
  const origin = { base, path: `/api/0.1/assets/${ID}/history`, query: new Query([]) };
  const data = [
    { dateModified: published, status: 'pending' },
    { dateModified: changed, status: 'pending', changed: ['title'] },
  ];
  return { next_page: nextPage(origin, changed), data };
}

function answeredExample(type: AssetType): Record<string, unknown> {
  const { fields } = readFields(type.dto, type.example.data, SERVICE_FIELDS);
  const asset = {
    id: ID,
    assetId: formatAssetId('UA', TIME.day(CREATED_US), 1),
    assetType: type.name,
    status: lifecycleOf(type).initial,
    owner: 'broker',
    relatedLot: null,
    body: printFields(type.dto, withItemIds(type.dto, fields, itemIdsOf(ID))),
    createdUs: CREATED_US,
    modifiedUs: CREATED_US,
  };
  return JSON.parse(printAsset(asset, TIME)) as Record<string, unknown>;
}
