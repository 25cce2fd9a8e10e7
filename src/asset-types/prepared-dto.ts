import { getMetadataStorage } from 'class-validator';
import { type DtoClass, fieldsOf, type RuledField } from './fields.js';
import { isPlainDto } from './plain-dto.js';

/** A field of a DTO as every request needs it. */
export interface PreparedField extends RuledField {
  name: string;
  /** The name as it stands in JSON, with its colon. */
  label: string;
}

/** What is found out of a DTO once. The last three look at the DTOs of nested objects, too. */
interface PreparedDto {
  /** In their declared order. */
  fields: readonly PreparedField[];
  byName: ReadonlyMap<string, PreparedField>;
  /** Whether class-transformer has nothing to do for its instances. */
  isPlain: boolean;
  /** Whether class-validator knows no rules but those of the fields. */
  hasOnlyOurRules: boolean;
  /** Whether one of the fields is a list of items. */
  hasItems: boolean;
}

const known = new WeakMap<DtoClass, PreparedDto>();

/** What there is to know of a DTO; found out at the first call, when all of its decorators have run. */
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

/** A DTO and those of the objects that are nested in it. @param found a DTO may be found again within itself */
function dtosIn(dto: DtoClass, found = new Set<DtoClass>()): ReadonlySet<DtoClass> {
  if (found.has(dto)) return found;
  found.add(dto);
  for (const { nested } of fieldsOf(dto).values()) if (nested !== undefined) dtosIn(nested(), found);
  return found;
}

/** A team may put decorators of class-validator beside ours. */
function hasOnlyOurRules(dto: DtoClass): boolean {
  const fields = fieldsOf(dto);
  return getMetadataStorage()
    .getTargetValidationMetadatas(dto, '', false, false)
    .every(({ propertyName, context }) => context !== undefined && context === fields.get(propertyName));
}
