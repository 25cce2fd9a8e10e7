import { Injectable } from '@nestjs/common';
import { AssetTypes } from '../asset-types/asset-types.js';
import { unavailable } from '../platform/errors/errors.js';
import type { Caller } from '../http/caller.js';
import { Query } from '../http/request-target.js';
import { EVERYTHING } from '../search/search-query.js';
import { Statistics } from '../search/statistics.js';
import { FilterChoices } from './filter-choices.js';
import { StatisticsPage } from './statistics.page.js';
import { ShownTimes } from './times.js';
import type { PageContext } from './page-context.js';

const NO_QUERY = new Query([]);

/** Shows the numbers of the registry. */
@Injectable()
export class StatisticsPages {
  private readonly page: StatisticsPage;

  constructor(
    private readonly statistics: Statistics,
    types: AssetTypes,
    times: ShownTimes,
  ) {
    this.page = new StatisticsPage(new FilterChoices(types), times);
  }

  /** @throws ApiError 503 where there is no search */
  async show(context: PageContext, caller: Pick<Caller, 'isGone' | 'worked'>): Promise<Buffer> {
    const counted = await this.statistics.read(EVERYTHING, caller);
    if (counted === undefined) throw unavailable('search_away');
    // Links to the other language repeat nothing of the query: this page has no parameters.
    return Buffer.from(this.page.show(counted, { ...context, query: NO_QUERY }));
  }
}
