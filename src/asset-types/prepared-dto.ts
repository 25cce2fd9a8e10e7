import { createRequire } from 'node:module';
import type { MetadataStorage } from 'class-transformer/types/MetadataStorage.js';
import { getMetadataStorage } from 'class-validator';
import { type DtoClass, fieldsOf, type RuledField } from './fields.js';

/** A field of a DTO as every request needs it. */
export interface PreparedField extends RuledField {
  name: string;
  /** The name as it stands in JSON, with its colon. */
  label: string;
}

/** What is found out of a DTO once. */
interface PreparedDto {
  /** In their declared order. */
  fields: readonly PreparedField[];
  byName: ReadonlyMap<string, PreparedField>;
  /** Whether the rules of its fields, and of theirs, are all that can be wrong with an instance. */
  isPlain: boolean;
  /** Whether a list of items is among its fields, or among theirs. */
  holdsItems: boolean;
}

// class-transformer tells nowhere else what its decorators said; Nest's mapped-types read this storage too.
const { defaultMetadataStorage: TRANSFORMATIONS } = createRequire(import.meta.url)(
  'class-transformer/cjs/storage.js',
) as { defaultMetadataStorage: MetadataStorage };
/** TransformationType.PLAIN_TO_CLASS */
const PLAIN_TO_CLASS = 0;

const known = new WeakMap<DtoClass, PreparedDto>();

/** What there is to know of a DTO; found out at the first call, when all of its decorators have run. */
export function prepare(dto: DtoClass): PreparedDto {
  let prepared = known.get(dto);
  if (prepared === undefined) {
    const fields = [...fieldsOf(dto)].map(([name, field]) => ({ ...field, name, label: `${JSON.stringify(name)}:` }));
    const byName = new Map(fields.map((field) => [field.name, field]));
    prepared = { fields, byName, isPlain: isPlain(dto, new Set()), holdsItems: holdsItems(dto, new Set()) };
    known.set(dto, prepared);
  }
  return prepared;
}

/** @param seen a DTO may be found again within itself */
function holdsItems(dto: DtoClass, seen: Set<DtoClass>): boolean {
  if (seen.has(dto)) return false;
  seen.add(dto);
  return [...fieldsOf(dto).values()].some(({ list, nested }) => list || (nested && holdsItems(nested(), seen)));
}

/** @param seen a DTO may be found again within itself */
function isPlain(dto: DtoClass, seen: Set<DtoClass>): boolean {
  if (seen.has(dto)) return true;
  seen.add(dto);
  return hasOnlyOurs(dto) && [...fieldsOf(dto).values()].every(({ nested }) => !nested || isPlain(nested(), seen));
}

/**
 * A team may put decorators of class-validator and class-transformer beside ours, or give the class methods and nested defaults.
 * Only these two libraries know what that means, so such a DTO is always left to them.
 */
function hasOnlyOurs(dto: DtoClass): boolean {
  const fields = fieldsOf(dto);
  const defaults = new dto() as Record<string, unknown>;
  return (
    fields.size > 0 &&
    hasOnlyOurRules(dto, fields) &&
    TRANSFORMATIONS.getExposedMetadatas(dto).length === 0 &&
    TRANSFORMATIONS.getExcludedMetadatas(dto).length === 0 &&
    TRANSFORMATIONS.getStrategy(dto) === 'none' &&
    [...fields].every(
      ([name, field]) =>
        TRANSFORMATIONS.findTransformMetadatas(dto, name, PLAIN_TO_CLASS).length === 0 &&
        TRANSFORMATIONS.findTypeMetadata(dto, name)?.typeFunction === field.nested &&
        !(name in (dto.prototype as object)) &&
        (field.nested === undefined || defaults[name] === undefined),
    )
  );
}

/** Whether class-validator knows no rule but that of each field. */
function hasOnlyOurRules(dto: DtoClass, fields: ReadonlyMap<string, RuledField>): boolean {
  return getMetadataStorage()
    .getTargetValidationMetadatas(dto, '', false, false)
    .every(({ propertyName, context }) => context !== undefined && context === fields.get(propertyName));
}
