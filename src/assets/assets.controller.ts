import { Controller, Get, Headers, Param, Patch, Post, Req, UseGuards } from '@nestjs/common';
import { type AnyAsset, entityTag, printAsset } from '../asset/asset-view.js';
import { Actor, BrokerKeyGuard, KeyAfterBodyGuard } from '../auth/broker-key.guard.js';
import type { Permission } from '../auth/found-in-request.js';
import { OwnerTokenGuard, Permitted } from '../auth/owner-token.guard.js';
import { Repeated, RepeatableGuard } from '../auth/repeatable.guard.js';
import type { Repeatable } from '../auth/repeatable.js';
import { CreatorRoleGuard } from '../auth/roles.guard.js';
import type { ActingAccount } from '../database/access-reader.js';
import { AssetHistory } from '../feed/reading/asset-history.js';
import { Answer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { Data, EnvelopeGuard, MediaTypeGuard, SentBody } from '../http/request-body.js';
import { IsDryRun } from '../http/query-parameters.js';
import { CalledBy, type Caller } from '../http/caller.js';
import { Origins } from '../http/origins.js';
import type { RegistryRequest } from '../http/request.js';
import { isNoneMatch } from '../http/request-head.js';
import { rangeOf } from '../listing/feed-pages.js';
import { type AnyText, enclosed } from '../text/encoded-text.js';
import { RegistryTime } from '../time/registry-time.js';
import { type AssetRead, assetReadOf, historyQueryOf } from './asset-read.js';
import { AssetWriter } from './asset-writer.js';
import { AssetsService } from './assets.service.js';
import { DryRuns } from './dry-runs.js';
import { printHistory } from './history-page.js';
import { type NewAsset, NewAssetPipe } from './new-asset.pipe.js';

/** Single assets, and what they were. The guards stand in the contract's order of checks (section 8). */
@Controller(apiPaths('assets'))
export class AssetsController {
  constructor(
    private readonly assets: AssetsService,
    private readonly writer: AssetWriter,
    private readonly dryRuns: DryRuns,
    private readonly history: AssetHistory,
    private readonly time: RegistryTime,
    private readonly origins: Origins,
  ) {}

  @Post()
  @UseGuards(MediaTypeGuard, BrokerKeyGuard, CreatorRoleGuard, EnvelopeGuard, KeyAfterBodyGuard, RepeatableGuard)
  async create(
    @SentBody(NewAssetPipe) input: NewAsset,
    @Actor() account: ActingAccount,
    @Req() request: RegistryRequest,
    @CalledBy() caller: Caller,
    @IsDryRun() isDryRun: boolean,
    @Repeated() repeatable?: Repeatable,
  ): Promise<Answer> {
    const creation = { input, account, caller };
    if (isDryRun) return answerOfTry(await this.dryRuns.create(creation));
    const from = this.origins.of(request);
    const { asset, token } = await this.assets.create({ ...creation, repeatable });
    return new Answer(201, `{"access":{"token":"${token}"},"data":${printAsset(asset, this.time)}}`, {
      Location: `${from.base}${from.path}/${asset.id}`,
      ETag: entityTag(asset, this.time),
      'Cache-Control': 'no-store',
    });
  }

  @Get(':id')
  read(@Req() request: RegistryRequest, @CalledBy() caller: Caller): Promise<Answer> {
    return this.answerTo(assetReadOf(request, this.time), caller);
  }

  /** Its public states, or the whole asset at an instant. */
  @Get(':id/history')
  async listStates(@Req() request: RegistryRequest, @CalledBy() caller: Caller): Promise<Answer> {
    const query = historyQueryOf(request, this.time);
    const { id, atUs, page } = query;
    if (atUs !== undefined) return this.answerTo(query, caller);
    const entries = await caller.inTime(this.history.list(id, rangeOf(page)));
    return printHistory(entries, page, this.origins.of(request), this.time);
  }

  /** OwnerTokenGuard has found the asset, so that nothing but an id comes this far. */
  @Patch(':id')
  @UseGuards(MediaTypeGuard, BrokerKeyGuard, EnvelopeGuard, KeyAfterBodyGuard, OwnerTokenGuard)
  async change(
    @Param('id') id: string,
    @Data() data: Record<string, unknown>,
    @Permitted() permission: Permission,
    @CalledBy() caller: Caller,
    @IsDryRun() isDryRun: boolean,
    @Headers('if-match') ifMatch?: string,
  ): Promise<Answer> {
    const patch = { id, data, permission, ifMatch, caller };
    if (isDryRun) return answerOfTry(await caller.inTime(this.dryRuns.change(patch)));
    const asset = await this.writer.change(patch);
    return this.answerOf(asset, entityTag(asset, this.time));
  }

  private async answerTo({ id, atUs, ifNoneMatch }: AssetRead, caller: Caller): Promise<Answer> {
    const asset = await caller.inTime(atUs === undefined ? this.assets.get(id) : this.history.at(id, atUs, caller));
    const etag = entityTag(asset, this.time);
    return isNoneMatch(ifNoneMatch, etag) ? new Answer(304, undefined, { ETag: etag }) : this.answerOf(asset, etag);
  }

  private answerOf(asset: AnyAsset<AnyText>, etag: string): Answer {
    const text = enclosed('{"data":', printAsset(asset, this.time), '}');
    return new Answer(200, text, { ETag: etag });
  }
}

/** What was not written has neither a place nor a version. */
function answerOfTry(printed: string): Answer {
  return new Answer(200, `{"data":${printed}}`);
}
