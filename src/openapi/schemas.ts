import type { DiscriminatorObject, SchemaObject } from 'openapi3-ts/oas31';
import type { AssetType } from '../asset-types/asset-type.js';
import {
  schemasOfErasedAsset,
  schemasOfRemovedType,
  type SchemasOfType,
  schemasOfTypes,
} from '../asset-types/type-schemas.js';
import { SOURCE } from './source.js';

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
  ...Object.keys(SOURCE.components.schemas),
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
    // If only optional fields were erased, the asset still matches its type's schema.
    ErasedAsset: { ...erased.answered, not: { anyOf: whole } },
    DryRunAsset: {
      anyOf: [...ofEach('dryRun'), ref('ErasedAsset')],
      description:
        'An asset as it would be. A new one has no id, assetID, date and dateModified, and of a changed one they are those that it has; an item that would get its id has none',
    },
    NewAsset: { oneOf: ofEach('created'), discriminator: byItsType(all) },
    // A patch need not contain the type.
    AssetPatch: { anyOf: ofEach('patch') },
    Entry: { anyOf: [...ofEach('entry'), ref('EntryOfRemovedType'), ref('ErasedEntry')] },
    EntryOfRemovedType: removed.entry,
    ErasedEntry: erased.entry,
    ...SOURCE.components.schemas,
    ...(schemas as Record<string, SchemaObject>),
  };
}

function byItsType(all: readonly [AssetType, SchemasOfType][]): DiscriminatorObject {
  const mapping = all.flatMap(([{ name, aliases = [] }, { created }]) =>
    [name, ...aliases].map((each) => [each, created['$ref'] as string]),
  );
  return { propertyName: 'assetType', mapping: Object.fromEntries(mapping) };
}

function ref(name: string): SchemaObject {
  return { $ref: `#/components/schemas/${name}` };
}
