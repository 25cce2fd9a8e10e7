import { format, resolveConfig } from 'prettier';
import type { AssetType } from '../src/asset-types/asset-type.ts';
import { type DtoClass, fieldsOf, type JsonSchema, type RuledField } from '../src/asset-types/fields.ts';
import { lifecycleOf, mayWrite, type State } from '../src/asset-types/lifecycle.ts';
import { Item } from '../src/asset-types/shared/parts.dto.ts';

const HEAD = `/*
 * Written by \`npm run client:types\` from the installed asset types. Not edited by hand.
 */
`;

/** Names of `asset-parts.ts`, which are the same for every type. */
const PARTS = ['AsDryRun', 'AsDryRunNew', 'Patch', 'ServiceFields'];

const SIMPLE_TYPES = new Set(['string', 'number', 'boolean']);

/** The members of an interface: in requests and in answers. */
interface Members {
  input: string;
  answer: string;
}

/** Members of a type; `later` has fields that cannot be sent at creation but may be changed in some state. */
interface TypeMembers extends Members {
  later: string;
}

type NestedMembers = Map<DtoClass, Members>;

/**
 * Prints the TypeScript source of the client's types: for every asset type and nested DTO one interface, or two if requests and answers differ,
 * and unions over the types.
 * @throws Error if two of them would have the same name
 */
export async function printAssetInterfaces(types: readonly AssetType[]): Promise<string> {
  const nested: NestedMembers = new Map();
  const tops = types.map((type) => ({ type, members: membersOfType(type, nested) }));
  const source = [
    HEAD,
    `import type { ${PARTS.join(', ')} } from './asset-parts.js';\n`,
    ...[...nested].map(([{ name }, members]) => printNested(name, members)),
    ...tops.map(({ type, members }) => printType(type, members)),
    printUnions(tops),
  ].join('\n');
  refuseSameNames(source);
  return format(source, { ...(await resolveConfig('package.json')), parser: 'typescript' });
}

/** @param nested collects the DTOs nested in the type's DTO, innermost first */
function membersOfType(type: AssetType, nested: NestedMembers): TypeMembers {
  const members = membersOf(type.dto, nested);
  const { initial, states } = lifecycleOf(type);
  const own = fieldsOf(type.dto);
  const isSent = (name: string): boolean => mayWrite(states[initial] as State, 'owner', name, own);
  const isChanged = (name: string): boolean =>
    Object.values(states).some(
      (state) => mayWrite(state, 'owner', name, own) || mayWrite(state, 'concierge', name, own),
    );
  return {
    ...members,
    input: printInput(
      [...own].filter(([name]) => isSent(name)),
      nested,
    ),
    later: printInput(
      [...own].filter(([name]) => !isSent(name) && isChanged(name)),
      nested,
    ),
  };
}

/** @param nested collects the DTOs nested in the DTO, innermost first */
function membersOf(dto: DtoClass, nested: NestedMembers): Members {
  const fields = [...fieldsOf(dto)];
  for (const [, field] of fields) {
    const inner = field.nested?.();
    if (inner !== undefined && !nested.has(inner)) nested.set(inner, membersOf(inner, nested));
  }
  const given = givenFields(dto);
  const answer = fields.map(([name, field]) =>
    printField(name, field, field.optional && !given.has(name), typeOf(field, field.nested?.().name)),
  );
  return { input: printInput(fields, nested), answer: answer.join('\n') };
}

function printInput(fields: readonly [string, RuledField][], nested: NestedMembers): string {
  return fields.map(([name, field]) => printField(name, field, field.optional, inputOf(field, nested))).join('\n');
}

/** Optional fields that every answer has: those with a default value, and the ids of items. */
function givenFields(dto: DtoClass): ReadonlySet<string> {
  const values = Object.entries(new dto()).filter(([, value]) => value !== undefined);
  const names = values.map(([name]) => name);
  return new Set(dto.prototype instanceof Item ? ['id', ...names] : names);
}

/** Omits a label that only repeats the name. */
function printField(name: string, { labels }: RuledField, isOptional: boolean, type: string): string {
  const isSaid = labels.en.replaceAll(' ', '').toLowerCase() === name.toLowerCase();
  return `${isSaid ? '' : `/** ${labels.en} */\n`}${name}${isOptional ? '?' : ''}: ${type};`;
}

function inputOf(field: RuledField, nested: NestedMembers): string {
  const dto = field.nested?.();
  if (dto === undefined) return typeOf(field, undefined);
  const { input, answer } = nested.get(dto) as Members;
  return typeOf(field, input === answer ? dto.name : `${dto.name}Input`);
}

function typeOf({ schema, list }: RuledField, nested: string | undefined): string {
  if (nested !== undefined) return list ? `${nested}[]` : nested;
  return typeOfValue(schema);
}

/** A team's own kinds of fields may lack a schema type. */
function typeOfValue(schema: JsonSchema): string {
  const { type, enum: choices, items = {} } = schema as { type?: string; enum?: string[]; items?: JsonSchema };
  if (choices !== undefined) return literals(choices);
  if (type === 'array') return listOf(typeOfValue(items));
  // TypeScript has no integer type.
  if (type === 'integer') return 'number';
  return type !== undefined && SIMPLE_TYPES.has(type) ? type : 'unknown';
}

function listOf(type: string): string {
  return type.includes('|') ? `(${type})[]` : `${type}[]`;
}

function printNested(name: string, { input, answer }: Members): string {
  const answered = `export interface ${name} {\n${answer}\n}\n`;
  return input === answer ? answered : `export interface ${name}Input {\n${input}\n}\n\n${answered}`;
}

function printType(type: AssetType, { input, answer, later }: TypeMembers): string {
  const { name, aliases = [], labels } = type;
  const states = Object.keys(lifecycleOf(type).states);
  return `/** ${labels.en}, as a broker creates it. */
export interface ${nameOf(type)}Input {\nassetType: ${literals([name, ...aliases])};\n${input}\n}
${later === '' ? '' : printLater(type, later)}
/** ${labels.en} */
export interface ${nameOf(type)} extends ServiceFields {\nassetType: ${literals([name])};\nstatus: ${literals(states)};\n${answer}\n}
`;
}

function printLater(type: AssetType, later: string): string {
  return `
/** ${type.labels.en}: fields that cannot be sent at creation, and can be changed later by those who may. */
export interface ${nameOf(type)}Later {\n${later}\n}
`;
}

function printUnions(tops: readonly { type: AssetType; members: TypeMembers }[]): string {
  const names = tops.map(({ type }) => nameOf(type));
  const patches = tops.map(({ type, members: { later } }) => {
    const input = `Omit<${nameOf(type)}Input, 'assetType'>`;
    return `Patch<${later === '' ? input : `${input} & ${nameOf(type)}Later`}>`;
  });
  return `/** Any asset; \`assetType\` is the discriminator. */
export type Asset = ${names.join(' | ')};

/** A changed asset in the answer of a dry run. */
export type DryRunAsset = AsDryRun<Asset>;

/** A new asset in the answer of a dry run. */
export type DryRunNewAsset = AsDryRunNew<Asset>;

/** The data of a new asset, as a broker sends it. */
export type AssetInput = ${names.map((name) => `${name}Input`).join(' | ')};

/** A change of an asset: the owner may change its fields, a concierge \`relatedLot\`, both \`status\`. */
export type AssetPatch = (${patches.join(' | ')}) & { status?: Asset['status']; relatedLot?: string | null };
`;
}

function literals(values: readonly string[]): string {
  return values.map((value) => JSON.stringify(value)).join(' | ');
}

function nameOf({ name }: AssetType): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function refuseSameNames(source: string): void {
  const own = [...source.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
  const names = [...PARTS, ...own];
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new Error(`Two of the client's types would be called ${twice}`);
}
