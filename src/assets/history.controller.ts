import { Controller, Get } from '@nestjs/common';
import type { Answer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { From, type Origin, Sent } from '../http/origin.js';
import { rangeOf } from '../listing/listing-query.pipe.js';
import { RegistryTime } from '../time/registry-time.js';
import { answerOf, unlessKnown } from './asset-answer.js';
import { AssetHistory } from '../feed/reading/asset-history.js';
import { entityTag } from '../asset/asset-view.js';
import { printHistory } from './history-page.js';
import { type HistoryQuery, HistoryQueryPipe } from './history-query.pipe.js';

/** What an asset was: its public states, or the whole asset at an instant. */
@Controller(apiPaths('assets'))
export class HistoryController {
  constructor(
    private readonly history: AssetHistory,
    private readonly time: RegistryTime,
  ) {}

  @Get(':id/history')
  async list(@Sent(HistoryQueryPipe) query: HistoryQuery, @From() from: Origin): Promise<Answer> {
    const { id, atUs, ifNoneMatch, page } = query;
    if (atUs !== undefined) {
      const asset = await this.history.at(id, atUs);
      return unlessKnown(ifNoneMatch, entityTag(asset), () => answerOf(asset, this.time));
    }
    const part = await this.history.read(id, rangeOf(page));
    return unlessKnown(ifNoneMatch, entityTag(part), () => printHistory(part, page, from, this.time));
  }
}
