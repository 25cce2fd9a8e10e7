import { Controller, Get } from '@nestjs/common';
import { unavailable } from '../platform/errors/errors.js';
import { type Answer, TaggedAnswer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { type Changes, type Counted, Statistics } from './statistics.js';

/** The numbers of the registry as data. Source: contract section 11. */
@Controller(apiPaths('statistics'))
export class StatisticsController {
  constructor(
    private readonly statistics: Statistics,
    private readonly time: RegistryTime,
  ) {}

  @Get()
  async show(): Promise<Answer> {
    const counted = await this.statistics.read();
    if (counted === undefined) throw unavailable('search_away');
    return new TaggedAnswer(this.print(counted), {});
  }

  private print({ indexedUs, total, status, assetType, region, value, days, months }: Counted): string {
    const members = {
      indexed_up_to: this.time.print(Math.max(indexedUs, 0)),
      total,
      status: Object.fromEntries(status),
      assetType: Object.fromEntries(assetType),
      region: Object.fromEntries(region),
    };
    // A double would not keep every digit of a sum.
    const values = value.map(
      ({ currency, sum, count }) => `${JSON.stringify(currency)}:{"sum":${sum},"count":${count}}`,
    );
    const times = { days: days.map(named('date')), months: months.map(named('month')) };
    return `{"data":{${membersOf(members)},"value":{${values.join(',')}},${membersOf(times)}}}`;
  }
}

function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}

function named(name: string) {
  return ({ when, created, changed }: Changes): object => ({ [name]: when, created, changed });
}
