import { hash } from 'node:crypto';

/*
 * The terms of the index: each has a kind and a value, such as `w:земл`. They hold letters, digits and colons only, so nothing that a client
 * types can act as syntax of the query language.
 */

/** Classifications are found by so many characters of their codes, and by the whole code beyond. */
const MAX_PREFIX_LENGTH = 20;
/** A longer text is told by its digest, so that an asset's terms stay short whatever a broker sends. */
const MAX_EXACT_LENGTH = 40;

export const wordToken = (prefix: string): string => `w:${prefix}`;
export const codeToken = (key: string): string => `c:${key}`;
export const statusToken = (name: string): string => `s:${nameKey(name)}`;
export const typeToken = (name: string): string => `t:${nameKey(name)}`;
export const regionToken = (key: string): string => `r:${key}`;
export const custodianToken = (code: string): string => `k:${exactTerm(code)}`;
export const ownerToken = (name: string): string => `o:${exactTerm(name)}`;
export const lotToken = (id: string): string => `l:${exactTerm(id)}`;
export const currencyToken = (code: string): string => `v:${exactTerm(code)}`;
/**
 * @param scheme undefined: any
 * @param beginning of the code; empty for every code of the scheme. A long one counts as the whole code.
 */
export function classificationToken(scheme: string | undefined, prefix: string): string {
  const head = schemeKey(scheme);
  return prefix.length > MAX_PREFIX_LENGTH ? wholeCodeToken(head, prefix) : (prefixTokens(head, prefix).at(-1) ?? head);
}

/** A classification is found by its scheme, by the first beginnings of its code, with the scheme and alone, and by a long code as a whole. */
export function classificationTokens(scheme: string, code: string): string[] {
  const heads = [schemeKey(scheme), schemeKey(undefined)];
  return heads.flatMap((head) => {
    const prefixes = prefixTokens(head, code.slice(0, MAX_PREFIX_LENGTH));
    return code.length > MAX_PREFIX_LENGTH ? [...prefixes, wholeCodeToken(head, code)] : prefixes;
  });
}

/** Case does not count in the name of a scheme. */
function schemeKey(scheme: string | undefined): string {
  return scheme === undefined ? 'a' : `n:${exactTerm(scheme.toLowerCase())}`;
}

function prefixTokens(head: string, prefix: string): string[] {
  const tokens = [`${head}:z:`];
  for (const character of prefix.split('')) tokens.push(`${tokens.at(-1)}${escaped(character)}`);
  return tokens;
}

function wholeCodeToken(head: string, code: string): string {
  return `${head}:w:${exactTerm(code)}`;
}

/** Different for different texts, cases among them. */
function exactTerm(text: string): string {
  return text.length > MAX_EXACT_LENGTH ? `h${hash('sha256', text)}` : escaped(text);
}

/** What is neither a letter in lower case nor a digit is written as its number. */
function escaped(text: string): string {
  return text.replaceAll(/[^\p{Ll}\p{Lo}\p{Nd}]/gu, (character) => `:${character.codePointAt(0)?.toString(16)}:`);
}

/** For the registry's own names: they are ASCII letters, digits and hyphens, and need no folding. */
export function nameKey(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}
