import type { AssetType } from './asset-type.js';
import { fieldsOf, type JsonSchema } from './fields.js';
import { lifecycleOf, mayCreateWith } from './lifecycle.js';
import { labelled, type Members, objectOf, SchemaCollection } from './schema-collection.js';
import { SERVICE_FIELD_DESCRIPTIONS } from './service-fields.js';

/** The schemas of one asset type, as references. */
export interface SchemasOfType {
  /** A whole asset. */
  answered: JsonSchema;
  /** The answer to a dry run; members that only the write sets may be missing. */
  dryRun: JsonSchema;
  /** An entry of the listing: id, time, and any other members. */
  entry: JsonSchema;
  /** The `data` of POST. */
  created: JsonSchema;
  /** The `data` of PATCH. */
  patch: JsonSchema;
}

interface TypeSchemas {
  /** Shared schemas by their names below `#/components/schemas/`. */
  schemas: Readonly<Record<string, JsonSchema>>;
  byType: ReadonlyMap<AssetType, SchemasOfType>;
}

const ALWAYS_PRESENT = Object.entries(SERVICE_FIELD_DESCRIPTIONS)
  .filter(([, { optional }]) => !optional)
  .map(([name]) => name);

/** Missing in the dry run of a creation. */
const SET_ON_CREATION = new Set(['id', 'assetID', 'date', 'dateModified']);

/** Returns JSON Schemas for every type and every nested DTO. @param taken names of other schemas */
export function schemasOfTypes(types: readonly AssetType[], taken: ReadonlySet<string>): TypeSchemas {
  const collection = new SchemaCollection(taken);
  const byType = new Map(types.map((type) => [type, schemasOf(type, collection)]));
  return { schemas: collection.schemas, byType };
}

/** Schemas of assets whose type was removed: only the service fields are known. */
export function schemasOfRemovedType(types: readonly AssetType[]): Pick<SchemasOfType, 'answered' | 'entry'> {
  const installed = types.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const description = 'An asset of a type that is no longer installed; its own fields are as stored';
  return openSchemas(description, 'assetType', { assetType: { not: { enum: installed } } });
}

/** Schemas of assets with erased fields: any of the type's fields may be missing, at any depth. */
export function schemasOfErasedAsset(): Pick<SchemasOfType, 'answered' | 'entry'> {
  return openSchemas('An asset with erased fields, which may be missing even if they are required', 'redacted', {});
}

/** @param mark a member required also in entries, to distinguish these assets from others @param known schemas that refine some members */
function openSchemas(
  description: string,
  mark: string,
  known: Record<string, JsonSchema>,
): Pick<SchemasOfType, 'answered' | 'entry'> {
  const properties = describedMembers(known);
  return {
    answered: { description, type: 'object', properties, required: [...new Set([...ALWAYS_PRESENT, mark])] },
    entry: { description, type: 'object', properties, required: ['id', 'dateModified', mark] },
  };
}

function schemasOf(type: AssetType, collection: SchemaCollection): SchemasOfType {
  const name = `${type.name.charAt(0).toUpperCase()}${type.name.slice(1)}`;
  const answered = answeredMembers(type, collection, 'answered');
  const dryRun = answeredMembers(type, collection, 'dryRun');
  const given = dryRun.required.filter((member) => !SET_ON_CREATION.has(member));
  const add = (wanted: string, members: Members): JsonSchema =>
    collection.add(wanted, labelled(type.labels, objectOf(members)));
  return {
    answered: add(`${name}Asset`, answered),
    dryRun: add(`${name}DryRun`, { ...dryRun, required: given }),
    entry: add(`${name}Entry`, { ...answered, required: ['id', 'dateModified'] }),
    created: add(`New${name}Asset`, newMembers(type, collection)),
    patch: add(`${name}AssetPatch`, patchMembers(type, collection)),
  };
}

/** In the order of printing. */
function answeredMembers(type: AssetType, collection: SchemaCollection, shape: 'answered' | 'dryRun'): Members {
  const { redacted, owner, date, dateModified, relatedLot, ...before } = serviceMembers(type);
  const own = collection.members(type.dto, shape);
  return {
    properties: {
      ...before,
      ...own.properties,
      redacted,
      owner,
      date,
      dateModified,
      relatedLot,
    } as Members['properties'],
    required: [...ALWAYS_PRESENT, ...own.required],
  };
}

function newMembers(type: AssetType, collection: SchemaCollection): Members {
  const lifecycle = lifecycleOf(type);
  const fields = fieldsOf(type.dto);
  const writable = [...fields].filter(([name]) => mayCreateWith(lifecycle, name, fields));
  const own = collection.members(type.dto, 'new', writable);
  const { assetType, status } = serviceMembers(type, [lifecycle.initial]);
  return {
    properties: { assetType, status, ...own.properties } as Members['properties'],
    required: ['assetType', ...own.required],
  };
}

/** Includes the service fields, because clients may send back what they read. */
function patchMembers(type: AssetType, collection: SchemaCollection): Members {
  const { relatedLot, ...others } = serviceMembers(type);
  const removable = { ...relatedLot, type: ['string', 'null'] };
  return {
    properties: { ...others, ...collection.members(type.dto, 'patch').properties, relatedLot: removable },
    required: [],
  };
}

/** @param statuses allowed values of `status` */
function serviceMembers(
  type: AssetType,
  statuses: readonly string[] = Object.keys(lifecycleOf(type).states),
): Record<string, JsonSchema> {
  const { states } = lifecycleOf(type);
  const known: Record<string, JsonSchema> = {
    assetType: { enum: [type.name, ...(type.aliases ?? [])] },
    status: {
      enum: statuses,
      'x-states': Object.fromEntries(statuses.map((status) => [status, states[status]?.labels])),
    },
  };
  return describedMembers(known);
}

/** @param known schemas that refine some members */
function describedMembers(known: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(SERVICE_FIELD_DESCRIPTIONS).map(([name, { labels, schema }]) => [
      name,
      labelled(labels, { ...schema, ...known[name] }),
    ]),
  );
}
