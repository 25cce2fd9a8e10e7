import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { Origins, rootOf } from '../http/origins.js';
import { type RegistryRequest, RequestParam } from '../http/request.js';
import { type Parameter, printQuery, type Query, TOKEN_NAME } from '../http/request-target.js';
import { AssetSearch } from '../search/asset-search.js';
import { SEARCH_PARAMETERS } from '../search/search-parameters.js';
import type { Publisher } from '../platform/config/config.js';
import { CONFIG } from '../platform/config/config.module.js';
import { truncate } from '../platform/text/truncate.js';
import { isLanguage, type Language, preferredLanguage } from './language.js';

/** The request of a page: its reader, and where it was sent. */
export interface PageContext {
  language: Language;
  /** Whether the query chose the language; links then repeat it. */
  hasChosen: boolean;
  /** Base of absolute links. */
  base: string;
  /** The path of PUBLIC_URL, which relative links begin with; usually empty. */
  root: string;
  /** The path without an owner token that a client put into it, because links repeat the path. */
  path: string;
  query: Query;
  /** Whether the search is on. */
  hasSearch: boolean;
  publisher: Publisher;
  /** The `Referer` header. */
  referer?: string | undefined;
}

@Injectable()
export class PageContextPipe implements PipeTransform<RegistryRequest, PageContext> {
  constructor(
    private readonly origins: Origins,
    private readonly search: AssetSearch,
    @Inject(CONFIG) private readonly publisher: Publisher,
  ) {}

  transform(request: RegistryRequest): PageContext {
    const origin = this.origins.of(request);
    const { base, path: sentPath, query } = origin;
    const [path = ''] = sentPath.split(TOKEN_NAME);
    const chosen = query.get('lang');
    const hasChosen = isLanguage(chosen);
    const language = hasChosen ? chosen : preferredLanguage(request.headers['accept-language']);
    const root = rootOf(origin);
    const { publisher } = this;
    const { referer } = request.headers;
    return { language, hasChosen, base, root, path, query, hasSearch: this.search.isOn, publisher, referer };
  }
}

/** Requests for lists and feeds with equal keys get the same answer. */
export function keyOf({ language, base, query }: PageContext): string {
  return JSON.stringify([language, base, query.parameters]);
}

/** Handler parameter: the page context. */
export const PageContextParam = (): ParameterDecorator => RequestParam(PageContextPipe);

type Pair = Pick<Parameter, 'name' | 'value'>;

/** A link to a page in the chosen language. @param path from the root */
export function linkTo(
  { root, language, hasChosen }: PageContext,
  path: string,
  parameters: readonly Pair[] = [],
): string {
  const all = hasChosen ? [...parameters, { name: 'lang', value: language }] : parameters;
  return all.length === 0 ? root + path : `${root}${path}?${printQuery(all)}`;
}

const EARLIER_NAMES: ReadonlyMap<string, string> = new Map([['type', 'assetType']]);

/** The current name of a parameter; old links may have an earlier one. */
export function currentName(name: string): string {
  return EARLIER_NAMES.get(name) ?? name;
}

/** Parameters that links to the same page repeat. Others are dropped, so that a foreign link cannot make the page long. */
const OWN_PARAMETERS = new Set([
  ...Object.keys(SEARCH_PARAMETERS),
  ...EARLIER_NAMES.keys(),
  'back',
  'descending',
  'at',
]);
const MAX_REPEATED = 30;
const MAX_REPEATED_LENGTH = 200;

/** A link to the same page in another language. `/.` stops a path with two slashes from being read as another host. */
export function linkToLanguage({ root, path, query }: PageContext, language: Language): string {
  const ofHere = (root + path).replace(/^\/(?=[/\\])/, '/./');
  return `${ofHere}?${printQuery([...repeatedOf(query), { name: 'lang', value: language }])}`;
}

/** A link to the same page without some parameters, given by their current names. */
export function linkWithout(context: PageContext, names: readonly string[]): string {
  return linkTo(
    context,
    context.path,
    repeatedOf(context.query).filter(({ name }) => !names.includes(currentName(name))),
  );
}

/** The parameters that links repeat, cut to a length. */
export function repeatedOf(query: Query): Pair[] {
  const own = query.parameters.filter(({ name }) => OWN_PARAMETERS.has(name)).slice(0, MAX_REPEATED);
  return own.map(({ name, value }) => ({ name, value: truncate(value, MAX_REPEATED_LENGTH) }));
}
