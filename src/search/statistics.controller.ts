import { Controller, Get, Req } from '@nestjs/common';
import type { AmountSum } from '../database/search/index-answers.js';
import { unavailable } from '../platform/errors/errors.js';
import { type Answer, TaggedAnswer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { CalledBy, type Caller } from '../http/caller.js';
import type { RegistryRequest } from '../http/request.js';
import { targetOf } from '../http/request-target.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { type MonthChanges, type SearchStatistics, Statistics } from './statistics.js';
import { StatisticsQueryPipe } from './statistics-query.pipe.js';

/** Statistics of the registry or of a search as JSON. Source: contract section 11. */
@Controller(apiPaths('statistics'))
export class StatisticsController {
  constructor(
    private readonly statistics: Statistics,
    private readonly queries: StatisticsQueryPipe,
    private readonly time: RegistryTime,
  ) {}

  @Get()
  async show(@Req() request: RegistryRequest, @CalledBy() caller: Caller): Promise<Answer> {
    const query = this.queries.transform(targetOf(request).query);
    const counted = await caller.beforeDeadline(this.statistics.read(query, caller));
    if (counted === undefined) throw unavailable('search_away');
    return new TaggedAnswer(this.print(counted), {});
  }

  private print({ indexedUs, total, status, assetType, region, value, days, months }: SearchStatistics): string {
    const members = {
      indexed_up_to: this.time.print(Math.max(indexedUs, 0)),
      total,
      status: Object.fromEntries(status),
      assetType: Object.fromEntries(assetType),
      region: Object.fromEntries(region),
    };
    const dated = days.map(({ when, created, changed }) => ({ date: when, created, changed }));
    const values = value.map((one) => printAmounts(one, `,"median":${one.median}`));
    return (
      `{"data":{${membersOf(members)},"value":{${values.join(',')}},${membersOf({ days: dated })},` +
      `"months":[${months.map(printMonth).join(',')}]}}`
    );
  }
}

function printMonth({ when, created, changed, value }: MonthChanges): string {
  const values = value.map((one) => printAmounts(one));
  return `{${membersOf({ month: when, created, changed })},"value":{${values.join(',')}}}`;
}

/** Prints sums as text, because a double would lose digits. @param more JSON of further members */
function printAmounts({ currency, sum, count }: AmountSum, more = ''): string {
  return `${JSON.stringify(currency)}:{"sum":${sum},"count":${count}${more}}`;
}

function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}
