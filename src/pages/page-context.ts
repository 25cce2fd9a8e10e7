import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { Origins } from '../http/origins.js';
import { type RegistryRequest, Sent } from '../http/request.js';
import { type Parameter, printQuery, type Query, TOKEN_NAME } from '../http/request-target.js';
import { AssetSearch } from '../search/asset-search.js';
import { SEARCH_PARAMETERS } from '../search/search-parameters.js';
import type { Publisher } from '../platform/config/config.js';
import { CONFIG } from '../platform/config/config.module.js';
import { truncate } from '../platform/text/truncate.js';
import { isLanguage, type Language, preferredLanguage } from './language.js';

/** Who looks at a page: in which language, and from where. */
export interface PageContext {
  language: Language;
  /** Whether the language was chosen: links keep it then. */
  hasChosen: boolean;
  /** Base of absolute links. */
  base: string;
  /** What links of our own begin with: the path of PUBLIC_URL, mostly nothing. */
  root: string;
  /** Without an owner token that got into it: links repeat it. */
  path: string;
  query: Query;
  /** Whether there is a search to lead to. */
  hasSearch: boolean;
  publisher: Publisher;
  /** The page from which the visitor came, as his browser says. */
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
    const { base, path: sentPath, query } = this.origins.of(request);
    const [path = ''] = sentPath.split(TOKEN_NAME);
    const chosen = query.get('lang');
    const hasChosen = isLanguage(chosen);
    const language = hasChosen ? chosen : preferredLanguage(request.headers['accept-language']);
    const root = base.replace(/^https?:\/\/[^/]*/, '');
    const { publisher } = this;
    const { referer } = request.headers;
    return { language, hasChosen, base, root, path, query, hasSearch: this.search.isOn, publisher, referer };
  }
}

/** Handler parameter: the visit. */
export const PageContextParam = (): ParameterDecorator => Sent(PageContextPipe);

type Pair = Pick<Parameter, 'name' | 'value'>;

/** A link to a page of ours in the language of the visit. @param path from the root */
export function linkTo(
  { root, language, hasChosen }: PageContext,
  path: string,
  parameters: readonly Pair[] = [],
): string {
  const all = hasChosen ? [...parameters, { name: 'lang', value: language }] : parameters;
  return all.length === 0 ? root + path : `${root}${path}?${printQuery(all)}`;
}

const EARLIER_NAMES: ReadonlyMap<string, string> = new Map([['type', 'assetType']]);

/** What a parameter is called now: links of others may be old. */
export function currentName(name: string): string {
  return EARLIER_NAMES.get(name) ?? name;
}

/** What a link to the same page repeats of its query, so that nobody's link makes a page long. */
const OWN_PARAMETERS = new Set([
  ...Object.keys(SEARCH_PARAMETERS),
  ...EARLIER_NAMES.keys(),
  'back',
  'descending',
  'at',
]);
const MAX_REPEATED = 30;
const LONGEST_REPEATED = 200;

/** A link to the same page in another language. People type any path: after two slashes would come the name of another host. */
export function linkToLanguage({ root, path, query }: PageContext, language: Language): string {
  const ofHere = (root + path).replace(/^\/(?=[/\\])/, '/./');
  return `${ofHere}?${printQuery([...repeatedOf(query), { name: 'lang', value: language }])}`;
}

/** A link to the same page without some of its parameters, by whatever names they came. */
export function linkWithout(context: PageContext, names: readonly string[]): string {
  return linkTo(
    context,
    context.path,
    repeatedOf(context.query).filter(({ name }) => !names.includes(currentName(name))),
  );
}

/** What a link to a list or a page repeats of its query. */
export function repeatedOf(query: Query): Pair[] {
  const own = query.parameters.filter(({ name }) => OWN_PARAMETERS.has(name)).slice(0, MAX_REPEATED);
  return own.map(({ name, value }) => ({ name, value: truncate(value, LONGEST_REPEATED) }));
}
