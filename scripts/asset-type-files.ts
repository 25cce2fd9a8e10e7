import { Script } from 'node:vm';
import { format, resolveConfig } from 'prettier';

/*
 * The files of a new asset type, and its line in the list of types. Pure functions, except that they read prettier's settings.
 */

export const TYPES_FOLDER = 'src/asset-types';
export const LIST = `${TYPES_FOLDER}/installed.ts`;

/** The names of a new type. */
export interface NewType {
  /** The value of assetType: `landPlot`. */
  name: string;
  /** Name of its folder and files: `land-plot`. */
  kebab: string;
  /** Class name of its DTO: `LandPlotAsset`. */
  dto: string;
  uk: string;
  en: string;
}

const WORDS = /^[a-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*$/;
const MAX_CHARACTERS = 64;
/** Names that the generated files use themselves. */
const USED_THERE = ['example'];

/**
 * @param given `landPlot` or `land-plot`
 * @param labels `en` defaults to the name, `uk` defaults to `en`
 * @throws Error with a sentence for a name that cannot be used
 */
export function newType(given: string, { uk, en }: { uk?: string; en?: string }): NewType {
  if (!WORDS.test(given) || given.length > MAX_CHARACTERS)
    throw new Error(`${given} is no name for a type: it is like landPlot or land-plot, at most ${MAX_CHARACTERS} long`);
  const kebab = given.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
  const name = given.includes('-') ? kebab.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()) : given;
  if (USED_THERE.includes(name) || isReserved(name))
    throw new Error(`${name} cannot name a type: it is a word of TypeScript or of its files`);
  const english = en?.trim() || capitalized(kebab.replaceAll('-', ' '));
  return { name, kebab, dto: `${capitalized(name)}Asset`, uk: uk?.trim() || english, en: english };
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A constant gets this name. The function is async because `await` is reserved there, as at the top of a module. */
function isReserved(name: string): boolean {
  try {
    new Script(`'use strict'; async () => { const ${name} = 0; }`);
    return false;
  } catch {
    return true;
  }
}

/** @returns the text of each file by its path, formatted by prettier */
export async function filesOf(type: NewType): Promise<Map<string, string>> {
  const base = `${TYPES_FOLDER}/${type.kebab}/${type.kebab}`;
  const texts = [
    [`${base}.dto.ts`, dtoText(type)],
    [`${base}.asset-type.ts`, typeText(type)],
    [`${base}.example.json`, exampleText(type)],
  ] as const;
  const files = new Map<string, string>();
  for (const [filepath, text] of texts) {
    files.set(filepath, await format(text, { ...(await resolveConfig(filepath)), filepath }));
  }
  return files;
}

function dtoText({ dto, en }: NewType): string {
  return `
import { Custodian, LongText, Nested, Quantity, Text, Value } from '../vocabulary.js';

/** ${en}: say here what it is. A property is a field; docs/asset-types.md lists their kinds. */
export class ${dto} {
  @Text({ uk: 'Назва', en: 'Title' }) title!: string;
  @LongText({ uk: 'Опис', en: 'Description', optional: true }) description?: string;

  // Replace this field by your own: kind, labels, and \`optional: true\` if it may be left out. The example has a value for
  // each required field.
  @Quantity({ uk: 'Кількість', en: 'Quantity' }) quantity!: number;
  @Nested(() => Value, { uk: 'Вартість', en: 'Value' }) value!: Value;
  @Nested(() => Custodian, { uk: 'Балансоутримувач', en: 'Custodian' }) assetCustodian!: Custodian;
}
`;
}

function typeText({ name, kebab, dto, uk, en }: NewType): string {
  return `
import type { AssetType } from '../vocabulary.js';
import { ${dto} } from './${kebab}.dto.js';
import example from './${kebab}.example.json' with { type: 'json' };

/** Has the standard states and moves; \`lifecycle\` sets others, \`check\` adds rules over several fields: docs/asset-types.md. */
export const ${name}: AssetType<${dto}> = {
  name: '${name}',
  labels: { uk: ${JSON.stringify(uk)}, en: ${JSON.stringify(en)} },
  dto: ${dto},
  example,
};
`;
}

function exampleText({ name, uk }: NewType): string {
  const value = { currency: 'UAH', amount: 100, valueAddedTaxIncluded: true };
  const assetCustodian = {
    name: 'Державне управління справами',
    identifier: { scheme: 'UA-EDR', id: '00037256', uri: 'http://www.dus.gov.ua/' },
    contactPoint: { name: 'Державне управління справами', telephone: '0440000000' },
  };
  return JSON.stringify({ data: { assetType: name, title: uk, quantity: 5, value, assetCustodian } }, null, 2);
}

/** @param list the text of installed.ts @returns the names of the installed types */
export function installedNames(list: string): string[] {
  return [...list.matchAll(/^export \{ (\w+) \} from/gm)].map(([, name]) => name as string);
}

/** @param list the text of installed.ts @returns it with the type's line inserted, sorted by path */
export function withLine(list: string, { name, kebab }: NewType): string {
  const path = `./${kebab}/${kebab}.asset-type.js`;
  const lines = list.trimEnd().split('\n');
  const pathOf = (line: string): string => /^export .* from '(.*)';$/.exec(line)?.[1] ?? '';
  const next = lines.findIndex((line) => pathOf(line) > path);
  lines.splice(next === -1 ? lines.length : next, 0, `export { ${name} } from '${path}';`);
  return `${lines.join('\n')}\n`;
}
