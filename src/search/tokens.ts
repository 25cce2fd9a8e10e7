import { hash } from 'node:crypto';

/*
 * The terms of the index: a kind and a value, such as `w:земл`. They contain only letters, digits and colons, so client input cannot act as
 * FTS5 syntax.
 */

/** Codes of classifications are found by prefixes up to this length, and by the whole code. */
const MAX_PREFIX_LENGTH = 20;
/** Longer texts are replaced by their digest, to bound the terms of an asset. */
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
 * @param scheme undefined for any
 * @param prefix of the code; empty for every code of the scheme. Above MAX_PREFIX_LENGTH it is the whole code.
 */
export function classificationToken(scheme: string | undefined, prefix: string): string {
  const head = schemeKey(scheme);
  return prefix.length > MAX_PREFIX_LENGTH ? wholeCodeToken(head, prefix) : (prefixTokens(head, prefix).at(-1) ?? head);
}

/** A classification is found by its scheme, and by prefixes of its code with and without the scheme. */
export function classificationTokens(scheme: string, code: string): string[] {
  const heads = [schemeKey(scheme), schemeKey(undefined)];
  return heads.flatMap((head) => {
    const prefixes = prefixTokens(head, code.slice(0, MAX_PREFIX_LENGTH));
    return code.length > MAX_PREFIX_LENGTH ? [...prefixes, wholeCodeToken(head, code)] : prefixes;
  });
}

/** Schemes are case-insensitive. */
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

/** Injective and case-sensitive. */
function exactTerm(text: string): string {
  return text.length > MAX_EXACT_LENGTH ? `h${hash('sha256', text)}` : escaped(text);
}

/** Replaces everything but lower-case letters and digits by code points. */
function escaped(text: string): string {
  return text.replaceAll(/[^\p{Ll}\p{Lo}\p{Nd}]/gu, (character) => `:${character.codePointAt(0)?.toString(16)}:`);
}

/** For the registry's own names, which are ASCII letters, digits and hyphens and need no folding. */
export function nameKey(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}
