import { Script } from 'node:vm';
import { format, resolveConfig } from 'prettier';

/*
 * The files of a new asset type, and its line in the list of types. Pure, but for the settings of prettier.
 */

export const TYPES_FOLDER = 'src/asset-types';
export const LIST = `${TYPES_FOLDER}/installed.ts`;

/** What a new type is called in the places where it is named. */
export interface NewType {
  /** The value of assetType: `landPlot`. */
  name: string;
  /** Of its folder and files: `land-plot`. */
  kebab: string;
  /** Of its DTO: `LandPlotAsset`. */
  dto: string;
  uk: string;
  en: string;
}

const WORDS = /^[a-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*$/;
const MAX_CHARACTERS = 64;
/** Names that the generated files use for something else. */
const USED_THERE = ['example'];

/**
 * @param given `landPlot` or `land-plot`
 * @param labels the English one is made of the name where it is not given, and stands for the Ukrainian one where that is not
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

/** The constant of the type has its name. In an async function, as at the top of a module, `await` is a word of the language too. */
function isReserved(name: string): boolean {
  try {
    new Script(`'use strict'; async () => { const ${name} = 0; }`);
    return false;
  } catch {
    return true;
  }
}

/** @returns the text of each file by its path, as prettier would have it */
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

  // Put the fields of your own in the place of this one: kind, labels, and \`optional: true\` for what may be left out. The example has a value
  // for each that may not.
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

/** With the standard states and moves; \`lifecycle\` brings others, \`check\` rules over several fields: docs/asset-types.md. */
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

/** @param list the text of installed.ts @returns it with the type's line, where it belongs by its path */
export function withLine(list: string, { name, kebab }: NewType): string {
  const path = `./${kebab}/${kebab}.asset-type.js`;
  const lines = list.trimEnd().split('\n');
  const pathOf = (line: string): string => /^export .* from '(.*)';$/.exec(line)?.[1] ?? '';
  const next = lines.findIndex((line) => pathOf(line) > path);
  lines.splice(next === -1 ? lines.length : next, 0, `export { ${name} } from '${path}';`);
  return `${lines.join('\n')}\n`;
}
