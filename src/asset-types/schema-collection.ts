import { type DtoClass, type Field, fieldsOf, ID_SCHEMA, type JsonSchema } from './fields.js';
import type { Labels } from './labels.js';
import { prepare } from './prepared-dto.js';

/**
 * The use of a schema: `answered` for answers, `dryRun` for answers to dry runs, where new items have no ids, `new` for POST, and `patch` for
 * PATCH, where all members are optional and null removes one.
 */
type Shape = 'answered' | 'dryRun' | 'new' | 'patch';

const REFERENCE = '#/components/schemas/';
const NULL = { type: 'null' };

const NAMES: Readonly<Record<Shape, (name: string) => string>> = {
  answered: (name) => name,
  dryRun: (name) => `${name}DryRun`,
  new: (name) => `New${name}`,
  patch: (name) => `${name}Patch`,
};

/** Named JSON Schemas of DTOs, each once, because a DTO may be used in many places or contain itself. */
export class SchemaCollection {
  readonly schemas: Record<string, JsonSchema> = {};
  private readonly named: Readonly<Record<Shape, Map<DtoClass, string>>> = {
    answered: new Map(),
    dryRun: new Map(),
    new: new Map(),
    patch: new Map(),
  };

  /** @param taken names in use elsewhere */
  constructor(private readonly taken: ReadonlySet<string>) {}

  /** @param wanted the name; a number is appended if it is in use @returns a reference */
  add(wanted: string, schema: JsonSchema): JsonSchema {
    const name = this.freeName(wanted);
    this.schemas[name] = schema;
    return referenceTo(name);
  }

  /** Returns the members of a DTO, and which of them are required. @param fields default to all fields of the DTO */
  members(dto: DtoClass, shape: Shape, fields: Iterable<[string, Field]> = fieldsOf(dto)): Members {
    const defaults = new dto() as Record<string, unknown>;
    const members: Members = { properties: {}, required: [] };
    for (const [name, field] of fields) {
      const preset = defaults[name];
      const schema = this.ofField(field, shape);
      members.properties[name] = shape === 'new' && preset !== undefined ? { ...schema, default: preset } : schema;
      const isThere = !field.optional || ((shape === 'answered' || shape === 'dryRun') && preset !== undefined);
      if (isThere && shape !== 'patch') members.required.push(name);
    }
    return members;
  }

  private ofField(field: Field, shape: Shape): JsonSchema {
    const { labels, optional, choices } = field;
    const schema = this.ofValue(field, shape);
    const value = shape === 'patch' && optional ? { anyOf: [schema, NULL] } : schema;
    return labelled(labels, choices === undefined ? value : { ...value, 'x-choices': choices });
  }

  private ofValue({ schema, nested, list }: Field, shape: Shape): JsonSchema {
    if (nested === undefined) return schema;
    const member = this.ofDto(nested(), shape);
    if (!list) return member;
    if (shape === 'answered') return { ...schema, items: { ...member, required: ['id'] } };
    if (shape !== 'patch') return { ...schema, items: member };
    // minItems applies to the list after the change.
    const { minItems: _, ...asked } = schema;
    const byId = { type: 'object', propertyNames: ID_SCHEMA, additionalProperties: { anyOf: [member, NULL] } };
    return { anyOf: [{ ...asked, items: member }, byId] };
  }

  private ofDto(dto: DtoClass, wanted: Shape): JsonSchema {
    // Only items differ between an answer and a dry run.
    const shape = wanted === 'dryRun' && !prepare(dto).hasItems ? 'answered' : wanted;
    const known = this.named[shape].get(dto);
    if (known !== undefined) return referenceTo(known);
    const name = this.freeName(NAMES[shape](dto.name));
    this.named[shape].set(dto, name);
    // Reserves the name, because a member may refer back to this DTO.
    this.schemas[name] = {};
    this.schemas[name] = objectOf(this.members(dto, shape));
    return referenceTo(name);
  }

  private freeName(wanted: string): string {
    let name = wanted;
    for (let n = 2; Object.hasOwn(this.schemas, name) || this.taken.has(name); n++) name = `${wanted}${n}`;
    return name;
  }
}

export interface Members {
  properties: Record<string, JsonSchema>;
  required: string[];
}

/** Allows no other members. */
export function objectOf({ properties, required }: Members): JsonSchema {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

export function labelled({ en, uk }: Labels, schema: JsonSchema): JsonSchema {
  return { title: en, 'x-label-uk': uk, ...schema };
}

function referenceTo(name: string): JsonSchema {
  return { $ref: `${REFERENCE}${name}` };
}
