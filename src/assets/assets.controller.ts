import { Controller, Get, Param, Patch, Post, Req, UseGuards } from '@nestjs/common';
import { type AnyAsset, entityTag, printAsset, printUncreated } from '../feed/reading/asset-view.js';
import { BrokerKeyGuard, KeyAfterBodyGuard } from '../auth/broker-key.guard.js';
import { OwnerTokenGuard } from '../auth/owner-token.guard.js';
import { IdempotencyGuard } from '../auth/idempotency.guard.js';
import { RoleGuard, Roles } from '../auth/role.guard.js';
import { roleMayNotCreate } from '../platform/errors/errors.js';
import { AssetHistory } from '../feed/reading/asset-history.js';
import { Answer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { CalledBy, type Caller } from '../http/caller.js';
import { Origins } from '../http/origins.js';
import type { RegistryRequest } from '../http/request.js';
import { Data, EnvelopeGuard, MediaTypeGuard, SentBody } from '../http/request-body.js';
import { isNoneMatch } from '../http/request-head.js';
import { rangeOf } from '../listing/feed-pages.js';
import { type AnyText, enclosed } from '../platform/text/encoded-text.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { type AssetRead, assetReadOf, contentLocation, historyQueryOf } from './asset-read.js';
import { AssetsService } from './assets.service.js';
import { printHistory } from './history-page.js';
import { type NewAsset, NewAssetPipe } from './new-asset.pipe.js';
import { Write, type WriteRequest } from './write-request.js';

/** Single assets and their history. The guards run in the contract's order of checks (section 8). */
@Controller(apiPaths('assets'))
export class AssetsController {
  constructor(
    private readonly assets: AssetsService,
    private readonly history: AssetHistory,
    private readonly time: RegistryTime,
    private readonly origins: Origins,
  ) {}

  @Post()
  @Roles({ allowed: ['broker'], refusal: roleMayNotCreate })
  @UseGuards(MediaTypeGuard, BrokerKeyGuard, RoleGuard, EnvelopeGuard, KeyAfterBodyGuard, IdempotencyGuard)
  async create(
    @SentBody(NewAssetPipe) input: NewAsset,
    @Write() write: WriteRequest,
    @Req() request: RegistryRequest,
  ): Promise<Answer> {
    const { asset, token } = await this.assets.create(input, write);
    if (write.isDryRun) return new Answer(200, enclosed('{"data":', printUncreated(asset), '}'));
    const from = this.origins.of(request);
    return new Answer(201, enclosed(`{"access":{"token":"${token}"},"data":`, printAsset(asset, this.time), '}'), {
      Location: `${from.base}${from.path}/${asset.id}`,
      ETag: entityTag(asset, this.time),
      'Cache-Control': 'no-store',
    });
  }

  @Get(':id')
  async read(@Req() request: RegistryRequest, @CalledBy() caller: Caller): Promise<Answer> {
    const query = assetReadOf(request, this.time);
    const id = await caller.beforeDeadline(this.assets.getId(query.name));
    return this.readAnswer({ ...query, id }, caller, this.locationOf(request, query, id));
  }

  /** Lists public states, or answers the whole asset at an instant. */
  @Get(':id/history')
  async listStates(@Req() request: RegistryRequest, @CalledBy() caller: Caller): Promise<Answer> {
    const query = historyQueryOf(request, this.time);
    const id = await caller.beforeDeadline(this.assets.getId(query.name));
    const location = this.locationOf(request, query, id);
    if (query.atUs !== undefined) return this.readAnswer({ ...query, id }, caller, location);
    const entries = await caller.beforeDeadline(this.history.list(id, rangeOf(query.page)));
    return printHistory(entries, query.page, this.origins.of(request), { time: this.time, location });
  }

  /** `id` is valid, because OwnerTokenGuard has found the asset. */
  @Patch(':id')
  @UseGuards(MediaTypeGuard, BrokerKeyGuard, EnvelopeGuard, KeyAfterBodyGuard, OwnerTokenGuard)
  async change(
    @Param('id') id: string,
    @Data() patch: Record<string, unknown>,
    @Write() write: WriteRequest,
  ): Promise<Answer> {
    const asset = await this.assets.change(id, patch, write);
    return this.assetAnswer(asset, write.isDryRun ? {} : { ETag: entityTag(asset, this.time) });
  }

  /** @returns a Content-Location with the asset's id, if the request named its assetID. Source: contract section 4. */
  private locationOf(request: RegistryRequest, { name }: AssetRead, id: string): Record<string, string> {
    return name === id ? {} : contentLocation(this.origins.of(request), id);
  }

  private async readAnswer(
    { id, atUs, ifNoneMatch }: AssetRead & { id: string },
    caller: Caller,
    location: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const asset = await caller.beforeDeadline(
      atUs === undefined ? this.assets.get(id) : this.history.at(id, atUs, caller),
    );
    const ETag = entityTag(asset, this.time);
    const headers = { ETag, ...location };
    return isNoneMatch(ifNoneMatch, ETag) ? new Answer(304, undefined, headers) : this.assetAnswer(asset, headers);
  }

  private assetAnswer(asset: AnyAsset<AnyText>, headers: Readonly<Record<string, string>>): Answer {
    return new Answer(200, enclosed('{"data":', printAsset(asset, this.time), '}'), headers);
  }
}
