import { Injectable } from '@nestjs/common';
import { AssetTypes } from '../asset-types/asset-types.js';
import { unavailable } from '../errors/errors.js';
import { Query } from '../http/target.js';
import { Statistics } from '../search/statistics.js';
import { ListedChoices } from './listed-choices.js';
import { StatisticsPage } from './statistics.page.js';
import { ShownTimes } from './times.js';
import type { Visit } from './visit.js';

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
    this.page = new StatisticsPage(new ListedChoices(types), times);
  }

  /** @throws ApiError 503 where there is no search */
  async show(visit: Visit): Promise<Buffer> {
    const counted = await this.statistics.read();
    if (counted === undefined) throw unavailable('search_away');
    // Links to the other language repeat nothing of the query: this page has no parameters.
    return Buffer.from(this.page.show(counted, { ...visit, query: NO_QUERY }));
  }
}
