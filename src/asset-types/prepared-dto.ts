import { getMetadataStorage } from 'class-validator';
import { type DtoClass, fieldsOf, type RuledField } from './fields.js';
import { isPlainDto } from './plain-dto.js';

export interface PreparedField extends RuledField {
  name: string;
  /** The name in JSON with its colon. */
  label: string;
}

/** Facts about a DTO, computed once. The last three cover nested DTOs as well. */
interface PreparedDto {
  /** In declared order. */
  fields: readonly PreparedField[];
  byName: ReadonlyMap<string, PreparedField>;
  /** Whether its instances do not need class-transformer. */
  isPlain: boolean;
  /** Whether class-validator has no rules besides those of the fields. */
  hasOnlyOurRules: boolean;
  hasItems: boolean;
}

const known = new WeakMap<DtoClass, PreparedDto>();

/** Computed at the first call rather than at import, because all decorators must have run. */
export function prepare(dto: DtoClass): PreparedDto {
  let prepared = known.get(dto);
  if (prepared === undefined) {
    const fields = [...fieldsOf(dto)].map(([name, field]) => ({ ...field, name, label: `${JSON.stringify(name)}:` }));
    const dtos = [...dtosIn(dto)];
    prepared = {
      fields,
      byName: new Map(fields.map((field) => [field.name, field])),
      isPlain: dtos.every(isPlainDto),
      hasOnlyOurRules: dtos.every(hasOnlyOurRules),
      hasItems: dtos.some((one) => [...fieldsOf(one).values()].some(({ list }) => list)),
    };
    known.set(dto, prepared);
  }
  return prepared;
}

/** Returns a DTO and those nested in it. @param found stops at a DTO that contains itself */
function dtosIn(dto: DtoClass, found = new Set<DtoClass>()): ReadonlySet<DtoClass> {
  if (found.has(dto)) return found;
  found.add(dto);
  for (const { nested } of fieldsOf(dto).values()) if (nested !== undefined) dtosIn(nested(), found);
  return found;
}

/** A team may add decorators of class-validator to the registry's. */
function hasOnlyOurRules(dto: DtoClass): boolean {
  const fields = fieldsOf(dto);
  return getMetadataStorage()
    .getTargetValidationMetadatas(dto, '', false, false)
    .every(({ propertyName, context }) => context !== undefined && context === fields.get(propertyName));
}
