import { Controller, Get, Headers, Options, Param, Patch, Post, UseGuards } from '@nestjs/common';
import { Actor, BrokerKeyGuard, CreatorRoleGuard } from '../auth/broker-key.guard.js';
import { OwnerTokenGuard, type Permission, Permitted } from '../auth/owner-token.guard.js';
import { Repeated, RepeatableGuard } from '../auth/repeatable.guard.js';
import type { Repeatable } from '../auth/repeatable.js';
import type { ActingAccount } from '../database/accounts-repository.js';
import type { ReadAsset } from '../database/asset-row.js';
import { allowing } from '../http/allow.js';
import { Answer, type TextEncoding } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { CalledBy, type Caller } from '../http/caller.js';
import { isNoneMatch } from '../http/entity-tag.js';
import { Data, EnvelopeGuard } from '../http/envelope.guard.js';
import { MediaTypeGuard } from '../http/media-type.guard.js';
import { From, type Origin } from '../http/origin.js';
import { RegistryTime } from '../time/registry-time.js';
import { AssetIdPipe } from './asset-id.pipe.js';
import { entityTag, printAsset } from './asset-view.js';
import { AssetsService } from './assets.service.js';
import { type NewAsset, NewAssetPipe } from './new-asset.pipe.js';

/** Single assets. The guards stand in the contract's order of checks (section 8). */
@Controller(apiPaths('assets'))
export class AssetsController {
  constructor(
    private readonly assets: AssetsService,
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
  async read(@Param('id', AssetIdPipe) id: string, @Headers('if-none-match') ifNoneMatch?: string): Promise<Answer> {
    const asset = await this.assets.get(id);
    const unchanged = isNoneMatch(ifNoneMatch, entityTag(asset));
    return unchanged ? new Answer(304, undefined, { ETag: entityTag(asset) }) : this.show(asset, 'latin1');
  }

  @Patch(':id')
  @UseGuards(MediaTypeGuard, BrokerKeyGuard, EnvelopeGuard, OwnerTokenGuard)
  async change(
    @Param('id', AssetIdPipe) id: string,
    @Data() data: Record<string, unknown>,
    @Actor() account: ActingAccount,
    @Permitted() permission: Permission,
    @CalledBy() caller: Caller,
    @Headers('if-match') ifMatch?: string,
  ): Promise<Answer> {
    return this.show(await this.assets.change({ id, data, account, permission, ifMatch, caller }), 'utf8');
  }

  @Options(':id')
  options(): Answer {
    return allowing('GET, HEAD, PATCH, OPTIONS');
  }

  /** @param encoding of its body */
  private show(asset: ReadAsset, encoding: TextEncoding): Answer {
    return new Answer(200, `{"data":${printAsset(asset, this.time)}}`, { ETag: entityTag(asset) }, encoding);
  }
}
