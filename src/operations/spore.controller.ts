import { Controller, Get, Inject, Optional } from '@nestjs/common';
import { AssetTypes } from '../asset-types/asset-types.js';
import { CONFIG } from '../platform/config/config.module.js';
import type { Config } from '../platform/config/config.js';
import { Database } from '../database/database.js';
import { ApiError } from '../platform/errors/api-error.js';
import { unavailable } from '../platform/errors/errors.js';
import { WholeFeed } from '../feed/reading/whole-feed.js';
import { Answer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { LogIdentity } from '../log/log-identity.js';
import { MAX_ENTRIES, type QueryParameterName } from '../http/query-parameters.js';

const METHODS = {
  list_assets: {
    method: 'GET',
    path: '/assets',
    optional_params: ['offset', 'limit', 'descending', 'opt_fields', 'opt_pretty'] satisfies QueryParameterName[],
  },
  create_asset: { method: 'POST', path: '/assets', required_payload: true, authentication: true },
  get_asset: { method: 'GET', path: '/assets/:id', required_params: ['id'] },
  change_asset: {
    method: 'PATCH',
    path: '/assets/:id',
    required_params: ['id'],
    required_payload: true,
    authentication: true,
  },
};

/** Describes the service. Older clients of this API family request it before anything else. */
@Controller(apiPaths('spore'))
export class SporeController {
  private readonly description: object;

  constructor(
    @Inject(CONFIG) config: Config,
    types: AssetTypes,
    private readonly database: Database,
    private readonly feed: WholeFeed,
    @Optional() private readonly log?: LogIdentity,
  ) {
    this.description = {
      name: 'asset-registry',
      version: '0.1',
      formats: ['json'],
      asset_types: types.installed.map(({ name }) => name),
      limits: { listing: MAX_ENTRIES, body_bytes: config.bodyLimit },
      methods: METHODS,
    };
  }

  /** @throws ApiError 503 if there is a log and the database was never reached: the log's name contains the epoch */
  @Get()
  async describe(): Promise<Answer> {
    const epoch = await this.epoch();
    if (epoch === undefined && this.log !== undefined) throw unavailable('log_behind');
    const log = epoch && this.log?.describe(epoch);
    return new Answer(200, JSON.stringify({ ...this.description, feed_epoch: epoch, log }));
  }

  /** Reads the epoch from the database, because a restore may have changed it. @returns the last known one while the database is down */
  private async epoch(): Promise<string | undefined> {
    try {
      return (await this.feed.clock()).epoch;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return this.database.feedEpoch;
    }
  }
}
