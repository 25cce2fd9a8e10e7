import { Controller, Get, Headers, Param, Patch, Post, UseGuards } from '@nestjs/common';
import { Actor, BrokerKeyGuard, CreatorRoleGuard } from '../auth/broker-key.guard.js';
import type { Permission } from '../auth/found-in-request.js';
import { OwnerTokenGuard, Permitted } from '../auth/owner-token.js';
import { Repeated, RepeatableGuard } from '../auth/repeatable.guard.js';
import type { Repeatable } from '../auth/repeatable.js';
import type { ActingAccount } from '../database/access-reader.js';
import { Answer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { CalledBy, type Caller } from '../http/caller.js';
import { Data, EnvelopeGuard, MediaTypeGuard } from '../http/body-guards.js';
import { From, type Origin, Sent } from '../http/origin.js';
import { RegistryTime } from '../time/registry-time.js';
import { answerOf, unlessKnown } from './asset-answer.js';
import { AssetHistory } from '../feed/reading/asset-history.js';
import { AssetIdPipe } from './asset-id.pipe.js';
import { type AssetRead, AssetReadPipe } from './asset-read.pipe.js';
import { entityTag, printAsset } from '../asset/asset-view.js';
import { AssetsService } from './assets.service.js';
import { type NewAsset, NewAssetPipe } from './new-asset.pipe.js';

/** Single assets. The guards stand in the contract's order of checks (section 8). */
@Controller(apiPaths('assets'))
export class AssetsController {
  constructor(
    private readonly assets: AssetsService,
    private readonly history: AssetHistory,
    private readonly time: RegistryTime,
  ) {}

  @Post()
  @UseGuards(MediaTypeGuard, BrokerKeyGuard, CreatorRoleGuard, EnvelopeGuard, RepeatableGuard)
  async create(
    @Data(NewAssetPipe) input: NewAsset,
    @Actor() account: ActingAccount,
    @From() from: Origin,
    @CalledBy() caller: Caller,
    @Repeated() repeatable?: Repeatable,
  ): Promise<Answer> {
    const { asset, token } = await this.assets.create({ input, account, caller, repeatable });
    return new Answer(201, `{"access":{"token":"${token}"},"data":${printAsset(asset, this.time)}}`, {
      Location: `${from.base}${from.path}/${asset.id}`,
      ETag: entityTag(asset),
      'Cache-Control': 'no-store',
    });
  }

  @Get(':id')
  async read(@Sent(AssetReadPipe) { id, atUs, ifNoneMatch }: AssetRead): Promise<Answer> {
    const asset = await (atUs === undefined ? this.assets.get(id) : this.history.at(id, atUs));
    return unlessKnown(ifNoneMatch, entityTag(asset), () => answerOf(asset, this.time));
  }

  @Patch(':id')
  @UseGuards(MediaTypeGuard, BrokerKeyGuard, EnvelopeGuard, OwnerTokenGuard)
  async change(
    @Param('id', AssetIdPipe) id: string,
    @Data() data: Record<string, unknown>,
    @Permitted() permission: Permission,
    @CalledBy() caller: Caller,
    @Headers('if-match') ifMatch?: string,
  ): Promise<Answer> {
    const asset = await this.assets.change({ id, data, permission, ifMatch, caller });
    return answerOf(asset, this.time);
  }
}
