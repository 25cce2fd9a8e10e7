import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AssetTypes } from '../asset-types/asset-types.js';
import { unavailable } from '../errors/errors.js';
import { Query } from '../http/target.js';
import { type Counted, Statistics } from '../search/statistics.js';
import { ListedChoices } from './listed-choices.js';
import { StatisticsPage } from './statistics.page.js';
import { ShownTimes } from './times.js';
import type { Visit } from './visit.js';

/** Two languages, chosen or not, complete or not. */
const MOST_KEPT = 8;
const NO_QUERY = new Query([]);

/** Shows the numbers of the registry: a page is made once for each state of the index. */
@Injectable()
export class StatisticsPages {
  private readonly page: StatisticsPage;
  private readonly kept = new LRUCache<string, { of: Counted; page: Buffer }>({ max: MOST_KEPT });

  constructor(
    private readonly statistics: Statistics,
    types: AssetTypes,
    times: ShownTimes,
  ) {
    this.page = new StatisticsPage(new ListedChoices(types), times);
  }

  /** @throws ApiError 503 where there is no search */
  async show(visit: Visit): Promise<Buffer> {
    const read = await this.statistics.read();
    if (read === undefined) throw unavailable('search_away');
    const key = JSON.stringify([visit.language, visit.hasChosen, visit.root, read.isComplete]);
    const kept = this.kept.get(key);
    if (kept?.of === read.counted) return kept.page;
    // Links to the other language repeat nothing of the query: this page has no parameters.
    const page = Buffer.from(this.page.show(read, { ...visit, query: NO_QUERY }));
    this.kept.set(key, { of: read.counted, page });
    return page;
  }
}
