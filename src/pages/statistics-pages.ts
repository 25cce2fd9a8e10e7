import { Injectable } from '@nestjs/common';
import { AssetTypes } from '../asset-types/asset-types.js';
import { unavailable } from '../platform/errors/errors.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import type { Caller } from '../http/caller.js';
import { EVERYTHING } from '../search/search-query.js';
import { Statistics } from '../search/statistics.js';
import { FilterChoices } from './filter-choices.js';
import type { PageQuery } from './page-query.js';
import { StatisticsLinks } from './statistics-links.js';
import { StatisticsPage } from './statistics.page.js';
import { ShownTimes } from './times.js';
import type { PageContext } from './page-context.js';

/** Shows the numbers of the registry, or of a search. */
@Injectable()
export class StatisticsPages {
  private readonly page: StatisticsPage;

  constructor(
    private readonly statistics: Statistics,
    types: AssetTypes,
    times: ShownTimes,
    private readonly time: RegistryTime,
  ) {
    this.page = new StatisticsPage(new FilterChoices(types), times);
  }

  /** @throws ApiError 503 where there is no search */
  async show(sent: PageQuery, context: PageContext, caller: Pick<Caller, 'isGone' | 'chargeWork'>): Promise<Buffer> {
    const search = sent.isPreset ? ofEverything(sent) : sent;
    const counted = await this.statistics.read(search.query, caller);
    if (counted === undefined) throw unavailable('search_away');
    return Buffer.from(
      this.page.show(counted, { search, links: new StatisticsLinks(search, context, this.time) }, context),
    );
  }
}

/** Where nothing was chosen the list shows what is available now; the statistics count everything. */
function ofEverything(query: PageQuery): PageQuery {
  return { ...query, conditions: [], query: EVERYTHING, isAvailable: false };
}
