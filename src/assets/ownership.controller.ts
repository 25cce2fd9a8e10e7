import { Controller, Param, Post, Req, UseGuards } from '@nestjs/common';
import { entityTag, printAsset } from '../asset/asset-view.js';
import { noAssetAt } from '../asset/no-asset.js';
import type { Permission } from '../auth/found-in-request.js';
import { Actor, BrokerKeyGuard, KeyAfterBodyGuard } from '../auth/broker-key.guard.js';
import { memberOfAccess, OwnerTokenGuard, Permitted } from '../auth/owner-token.guard.js';
import { Repeated, RepeatableGuard } from '../auth/repeatable.guard.js';
import type { Repeatable } from '../auth/repeatable.js';
import { GiverRoleGuard, TakerRoleGuard } from '../auth/roles.guard.js';
import type { ActingAccount } from '../database/access-reader.js';
import { Answer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { CalledBy, type Caller } from '../http/caller.js';
import type { RegistryRequest } from '../http/request.js';
import { EnvelopeGuard, envelopeOf, HasBody, MediaTypeGuard } from '../http/request-body.js';
import { enclosed } from '../text/encoded-text.js';
import { RegistryTime } from '../time/registry-time.js';
import { OwnershipService } from './ownership.service.js';

/** An asset goes to another broker. The guards stand in the contract's order of checks. Source: contract section 13. */
@Controller(apiPaths('assets'))
export class OwnershipController {
  constructor(
    private readonly ownership: OwnershipService,
    private readonly time: RegistryTime,
  ) {}

  @Post(':id/transfer')
  @HasBody('object or nothing')
  @UseGuards(MediaTypeGuard, BrokerKeyGuard, GiverRoleGuard, EnvelopeGuard, KeyAfterBodyGuard, OwnerTokenGuard)
  async issueCode(
    @Param('id') id: string,
    @Permitted() permission: Permission,
    @CalledBy() caller: Caller,
  ): Promise<Answer> {
    const { code, expiresUs } = await this.ownership.issueCode(id, permission, caller);
    const text = `{"access":{"transfer":"${code}"},"data":{"expires":"${this.time.print(expiresUs)}"}}`;
    return new Answer(201, text, { 'Cache-Control': 'no-store' });
  }

  @Post(':id/ownership')
  @HasBody('object without data')
  @UseGuards(MediaTypeGuard, BrokerKeyGuard, TakerRoleGuard, EnvelopeGuard, KeyAfterBodyGuard, RepeatableGuard)
  async takeOver(
    @Param('id') id: string,
    @Actor() account: ActingAccount,
    @Req() request: RegistryRequest,
    @CalledBy() caller: Caller,
    @Repeated() repeatable?: Repeatable,
  ): Promise<Answer> {
    if (request.assetOwner === undefined) throw noAssetAt(id);
    const code = memberOfAccess(envelopeOf(request).access, 'transfer');
    const { asset, token } = await this.ownership.takeOver({ id, code, account, caller, repeatable });
    const text = enclosed(`{"access":{"token":"${token}"},"data":`, printAsset(asset, this.time), '}');
    return new Answer(200, text, {
      ETag: entityTag(asset, this.time),
      'Cache-Control': 'no-store',
    });
  }
}
