import { hash } from 'node:crypto';

/*
 * The terms of the index: each has a kind and a value, such as `w:земл`. They hold letters, digits and colons only, so nothing that a client
 * types can act as syntax of the query language.
 */

/** Classifications are found by so many characters of their codes, and by the whole code beyond. */
const MAX_OF_CODE = 20;
/** A longer text is told by its digest, so that an asset's terms stay short whatever a broker sends. */
const LONGEST_EXACT = 40;

export const wordToken = (beginning: string): string => `w:${beginning}`;
export const codeToken = (key: string): string => `c:${key}`;
export const statusToken = (name: string): string => `s:${nameKey(name)}`;
export const typeToken = (name: string): string => `t:${nameKey(name)}`;
export const regionToken = (key: string): string => `r:${key}`;
export const custodianToken = (code: string): string => `k:${exact(code)}`;
export const ownerToken = (name: string): string => `o:${exact(name)}`;
export const lotToken = (id: string): string => `l:${exact(id)}`;
export const currencyToken = (code: string): string => `v:${exact(code)}`;
/**
 * @param scheme undefined: any
 * @param beginning of the code; empty for every code of the scheme. A long one counts as the whole code.
 */
export function classificationToken(scheme: string | undefined, beginning: string): string {
  const head = headOf(scheme);
  return beginning.length > MAX_OF_CODE
    ? wholeToken(head, beginning)
    : (beginningTokens(head, beginning).at(-1) ?? head);
}

/** A classification is found by its scheme, by the first beginnings of its code, with the scheme and alone, and by a long code as a whole. */
export function classificationTokens(scheme: string, code: string): string[] {
  const heads = [headOf(scheme), headOf(undefined)];
  return heads.flatMap((head) => {
    const beginnings = beginningTokens(head, code.slice(0, MAX_OF_CODE));
    return code.length > MAX_OF_CODE ? [...beginnings, wholeToken(head, code)] : beginnings;
  });
}

/** Case does not count in the name of a scheme. */
function headOf(scheme: string | undefined): string {
  return scheme === undefined ? 'a' : `n:${exact(scheme.toLowerCase())}`;
}

function beginningTokens(head: string, beginning: string): string[] {
  const tokens = [`${head}:z:`];
  for (const character of beginning.split('')) tokens.push(`${tokens.at(-1)}${printed(character)}`);
  return tokens;
}

function wholeToken(head: string, code: string): string {
  return `${head}:w:${exact(code)}`;
}

/** Different for different texts, cases among them. */
function exact(text: string): string {
  return text.length > LONGEST_EXACT ? `h${hash('sha256', text)}` : printed(text);
}

/** What is neither a letter in lower case nor a digit is written as its number. */
function printed(text: string): string {
  return text.replaceAll(/[^\p{Ll}\p{Lo}\p{Nd}]/gu, (character) => `:${character.codePointAt(0)?.toString(16)}:`);
}

/** For the registry's own names: they are ASCII letters, digits and hyphens, and need no folding. */
export function nameKey(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}
