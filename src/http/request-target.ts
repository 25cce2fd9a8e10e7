/** One `name=value` of a query, decoded. */
export interface Parameter {
  name: string;
  value: string;
  /** False if the percent-encoding is not that of UTF-8 text; then `value` is the raw text. */
  wellFormed: boolean;
}

/** The query of a request, in its order. A `+` is read as a space, as forms write it. */
export class Query {
  constructor(readonly parameters: readonly Parameter[]) {}

  /** The first value of `name`, or undefined when it was not sent. */
  get(name: string): string | undefined {
    return this.parameters.find((parameter) => parameter.name === name)?.value;
  }

  all(name: string): Parameter[] {
    return this.parameters.filter((parameter) => parameter.name === name);
  }
}

/** The target in the request line. `path` is still percent-encoded, and without the query. */
export interface RequestTarget {
  path: string;
  query: Query;
}

/** Parsed once for each request. */
export function targetOf(request: { url: string; target?: RequestTarget }): RequestTarget {
  request.target ??= parseTarget(request.url);
  return request.target;
}

const NO_QUERY = new Query([]);

const ENCODED = /[%+]/;

function parseTarget(url: string): RequestTarget {
  const mark = url.indexOf('?');
  if (mark < 0) return { path: url, query: NO_QUERY };
  return { path: url.slice(0, mark), query: parseQuery(url.slice(mark + 1)) };
}

function parseQuery(text: string): Query {
  const parts = text.split('&').filter((part) => part !== '');
  return new Query(parts.map(parseParameter));
}

function parseParameter(part: string): Parameter {
  const equals = part.indexOf('=');
  const name = decode(equals < 0 ? part : part.slice(0, equals));
  const value = decode(equals < 0 ? '' : part.slice(equals + 1));
  return { name: name.text, value: value.text, wellFormed: name.wellFormed && value.wellFormed };
}

function decode(encoded: string): { text: string; wellFormed: boolean } {
  if (!ENCODED.test(encoded)) return { text: encoded, wellFormed: true };
  const spaced = encoded.replaceAll('+', ' ');
  try {
    return { text: decodeURIComponent(spaced), wellFormed: true };
  } catch {
    return { text: spaced, wellFormed: false };
  }
}

/** `acc_token` in any spelling that a client may have meant: `ACC_TOKEN`, `acc_token[]`, `access-token`, `acc%5Ftoken` encoded again. */
export const TOKEN_NAME = /acc(?:ess)?(?:[^a-z]|5f)*token/i;
const TOKEN_IN_VALUE = new RegExp(`${TOKEN_NAME.source}[^a-z]*=`, 'i');

/** Whether a parameter may contain an owner token, even after a wrong separator: `opt_fields=title;acc_token=...`. */
export function mayHoldToken({ name, value }: Pick<Parameter, 'name' | 'value'>): boolean {
  return TOKEN_NAME.test(name) || TOKEN_IN_VALUE.test(value);
}

/** Prints a query; everything that a URL or a Link header could misread is percent-encoded. */
export function printQuery(parameters: readonly Pick<Parameter, 'name' | 'value'>[]): string {
  return parameters.map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
}
