import type { DiscriminatorObject, SchemaObject } from 'openapi3-ts/oas31';
import type { AssetType } from '../asset-types/asset-type.js';
import { LOT_SCHEMA } from '../asset-types/service-fields.js';
import {
  schemasOfErasedAsset,
  schemasOfRemovedType,
  type SchemasOfType,
  schemasOfTypes,
} from '../asset-types/type-schemas.js';
import { MAX_FAULTS, LONGEST_NAME } from '../platform/errors/api-error.js';
import { MAX_ENTRIES } from '../http/query-parameters.js';
import { closed, ref, text } from './schema-parts.js';
import { GROUP_SCHEMAS } from './group-schemas.js';
import { SPORE } from './service-schemas.js';
import { LOG_SCHEMAS } from './log-operations.js';
import { OWNERSHIP_SCHEMAS, SENT_ACCESS } from './ownership-schemas.js';
import { STATISTICS } from './statistics-schema.js';

const ERROR = closed({
  status: { const: 'error' },
  errors: {
    type: 'array',
    minItems: 1,
    maxItems: MAX_FAULTS,
    items: closed({
      location: {
        enum: ['header', 'body'],
        description: '`header` is the head of the request: method, path, query, header fields',
      },
      name: {
        ...text,
        minLength: 1,
        maxLength: LONGEST_NAME,
        description: 'The header, parameter or field at fault; a nested field as a path, `value.amount`',
      },
      description: { ...text, minLength: 1, description: 'One sentence for a person' },
    }),
  },
});

const PAGE_LINK = closed({
  offset: { ...text, description: 'dateModified of the last entry; on an empty page the offset as it was sent' },
  path: { ...text, pattern: '^/' },
  uri: { ...text, format: 'uri' },
});

/** @param entry the name of the schema of what it lists */
function pageOf(entry: string): SchemaObject {
  return closed(
    {
      next_page: ref('PageLink'),
      prev_page: { ...ref('PageLink'), description: 'Where offset or descending was given' },
      data: { type: 'array', maxItems: MAX_ENTRIES, items: ref(entry) },
    },
    ['prev_page'],
  );
}

const VERSION_OF_REGISTRY = { ...text, description: 'Of the registry that answers' } as const;
const FIXED: Record<string, SchemaObject> = {
  Error: ERROR,
  PageLink: PAGE_LINK,
  Page: pageOf('Entry'),
  SearchPage: closed(
    {
      next_page: ref('PageLink'),
      total: { type: 'integer', minimum: 0, description: 'Of the hits; 10000 where there are more' },
      total_is_exact: { type: 'boolean', description: 'false where there are more' },
      indexed_up_to: {
        ...text,
        format: 'date-time',
        description: 'Every change up to this instant is in the index, and what was acknowledged later may be missing',
      },
      facets: {
        type: 'object',
        additionalProperties: { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
        description:
          'By the names that were asked for: how many of the hits have which value. Of the newest 10000 where there are more, unless only ' +
          'states, types and a region were chosen; the 500 most frequent regions',
      },
      data: { type: 'array', maxItems: MAX_ENTRIES, items: ref('Entry') },
    },
    ['facets'],
  ),
  StatisticsAnswer: closed({ data: STATISTICS }),
  HistoryAnswer: { anyOf: [ref('HistoryPage'), ref('AssetAnswer')] },
  HistoryPage: pageOf('HistoryEntry'),
  HistoryEntry: closed(
    {
      dateModified: { ...text, format: 'date-time' },
      status: text,
      relatedLot: LOT_SCHEMA,
      owner: { ...text, description: 'Whose it became, where the change gave it to another broker' },
      changed: {
        type: 'array',
        items: text,
        description:
          'Names of the fields that the change changed; absent where it published the asset, or is not known',
      },
    },
    ['relatedLot', 'owner', 'changed'],
  ),
  AssetAnswer: closed({ data: ref('Asset') }),
  DryRunAnswer: closed({ data: ref('DryRunAsset') }),
  ChangedAnswer: { anyOf: [ref('AssetAnswer'), ref('DryRunAnswer')] },
  CreatedAnswer: closed({
    access: closed({ token: { ...text, pattern: '^[0-9a-f]{32}$', description: 'The owner token, shown this once' } }),
    data: ref('Asset'),
  }),
  ...OWNERSHIP_SCHEMAS,
  AssetCreation: { type: 'object', properties: { data: ref('NewAsset') }, required: ['data'] },
  AssetChange: {
    type: 'object',
    properties: {
      access: SENT_ACCESS,
      data: ref('AssetPatch'),
    },
    required: ['data'],
  },
  ...GROUP_SCHEMAS,
  DigestAnswer: closed({
    data: closed({
      from: { ...text, description: 'The instant that was asked for; empty for the beginning' },
      to: { ...text, description: 'Up to where it was counted: at most up to the newest change' },
      count: { type: 'integer', minimum: 0 },
      digest: {
        ...text,
        pattern: '^[0-9a-f]{32}$',
        description: 'The exclusive or of the first 16 bytes of SHA-256 of `<id> <dateModified>` of each entry',
      },
    }),
  }),
  ...LOG_SCHEMAS,
  Spore: SPORE,
  Live: closed({ status: { const: 'ok' }, version: VERSION_OF_REGISTRY }),
  Ready: closed({
    status: { enum: ['ok', 'degraded'] },
    version: VERSION_OF_REGISTRY,
    parts: { type: 'object', additionalProperties: text, description: 'Of each part what it is, or what is wrong' },
  }),
  OpenApi: {
    type: 'object',
    properties: {
      openapi: { ...text, pattern: '^3\\.1\\.' },
      info: { type: 'object' },
      paths: { type: 'object' },
      components: { type: 'object' },
    },
    required: ['openapi', 'info', 'paths', 'components'],
  },
};

const TAKEN = new Set([
  'Asset',
  'AssetOfRemovedType',
  'ErasedAsset',
  'DryRunAsset',
  'NewAsset',
  'AssetPatch',
  'Entry',
  'EntryOfRemovedType',
  'ErasedEntry',
  ...Object.keys(FIXED),
]);

/** Everything below `#/components/schemas/`. */
export function schemasFor(types: readonly AssetType[]): Record<string, SchemaObject> {
  const { schemas, byType } = schemasOfTypes(types, TAKEN);
  const all = [...byType];
  const removed = schemasOfRemovedType(types);
  const erased = schemasOfErasedAsset();
  const ofEach = (which: keyof SchemasOfType): SchemaObject[] =>
    all.map(([, { [which]: schema }]) => schema as SchemaObject);
  const whole = [...ofEach('answered'), ref('AssetOfRemovedType')];
  return {
    // No discriminator: an erased asset, and one of a removed type, have an assetType like any other.
    Asset: { oneOf: [...whole, ref('ErasedAsset')] },
    AssetOfRemovedType: removed.answered,
    // One of which an optional field was erased is as its type says.
    ErasedAsset: { ...erased.answered, not: { anyOf: whole } },
    DryRunAsset: {
      anyOf: [...ofEach('tried'), ref('ErasedAsset')],
      description:
        'An asset as it would be. A new one has no id, assetID, date and dateModified, and of a changed one they are those that it has; an item that would get its id has none',
    },
    NewAsset: { oneOf: ofEach('created'), discriminator: byItsType(all) },
    // Neither needs to hold the type.
    AssetPatch: { anyOf: ofEach('patch') },
    Entry: { anyOf: [...ofEach('entry'), ref('EntryOfRemovedType'), ref('ErasedEntry')] },
    EntryOfRemovedType: removed.entry,
    ErasedEntry: erased.entry,
    ...FIXED,
    ...(schemas as Record<string, SchemaObject>),
  };
}

function byItsType(all: readonly [AssetType, SchemasOfType][]): DiscriminatorObject {
  const mapping = all.flatMap(([{ name, aliases = [] }, { created }]) =>
    [name, ...aliases].map((each) => [each, created['$ref'] as string]),
  );
  return { propertyName: 'assetType', mapping: Object.fromEntries(mapping) };
}
