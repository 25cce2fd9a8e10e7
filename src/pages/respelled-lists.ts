import { Injectable } from '@nestjs/common';
import { AssetSearch, type Searcher } from '../search/asset-search.js';
import { ukrainianSpellings } from '../search/latin-text.js';
import { AssetLists } from './asset-lists.js';
import type { ListPage } from './home.page.js';
import type { PageContext } from './page-context.js';
import type { PageQuery } from './page-query.js';

const ONE = { isByValue: false, isDescending: true, after: undefined, limit: 1, withFacets: false };

/** Reads lists; if words in Latin letters find nothing, searches for their Ukrainian spelling. */
@Injectable()
export class RespelledLists {
  constructor(
    private readonly lists: AssetLists,
    private readonly search: AssetSearch,
  ) {}

  /** @throws ApiError 503 */
  async page(query: PageQuery, context: PageContext, searcher: Searcher): Promise<ListPage> {
    const page = await this.lists.page(query, context, searcher);
    const text = page.counts?.everything.count === 0 ? await this.findSpelling(query, searcher) : undefined;
    if (text === undefined) return page;
    const respelled = respelledAs(text, query);
    return { ...(await this.lists.page(respelled, context, searcher)), respelled };
  }

  /** The first spelling with hits in any state. */
  private async findSpelling({ query }: PageQuery, searcher: Searcher): Promise<string | undefined> {
    for (const text of ukrainianSpellings(query.text)) {
      const found = await this.search.find({ ...query, status: [], text }, ONE, searcher);
      if (found !== undefined && found.total > 0) return text;
    }
    return undefined;
  }
}

function respelledAs(text: string, shown: PageQuery): PageQuery {
  const conditions = shown.conditions.map((one) => (one.name === 'q' ? { ...one, value: text } : one));
  return { ...shown, conditions, query: { ...shown.query, text }, typed: shown.query.text };
}
