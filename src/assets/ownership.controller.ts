import { Controller, Param, Post, Req, UseGuards } from '@nestjs/common';
import { entityTag, printAsset } from '../feed/reading/asset-view.js';
import { assetNotFoundAt } from '../http/asset-not-found.js';
import { BrokerKeyGuard, KeyAfterBodyGuard } from '../auth/broker-key.guard.js';
import { memberOfAccess, OwnerTokenGuard } from '../auth/owner-token.guard.js';
import { IdempotencyGuard } from '../auth/idempotency.guard.js';
import { RoleGuard, Roles } from '../auth/role.guard.js';
import { roleMayNotTransfer } from '../platform/errors/errors.js';
import { Answer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import type { RegistryRequest } from '../http/request.js';
import { EnvelopeGuard, envelopeOf, HasBody, MediaTypeGuard } from '../http/request-body.js';
import { enclosed } from '../platform/text/encoded-text.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { AssetsService } from './assets.service.js';
import { Write, type WriteRequest } from './write-request.js';

/** Transfers of assets to other brokers. The guards run in the contract's order of checks. Source: contract section 13. */
@Controller(apiPaths('assets'))
export class OwnershipController {
  constructor(
    private readonly assets: AssetsService,
    private readonly time: RegistryTime,
  ) {}

  @Post(':id/transfer')
  @HasBody('object or nothing')
  @Roles({ allowed: ['broker', 'administrator'], refusal: roleMayNotTransfer })
  @UseGuards(MediaTypeGuard, BrokerKeyGuard, RoleGuard, EnvelopeGuard, KeyAfterBodyGuard, OwnerTokenGuard)
  async issueCode(@Param('id') id: string, @Write() write: WriteRequest): Promise<Answer> {
    const { code, expiresUs } = await this.assets.issueTransferCode(id, write);
    const text = `{"access":{"transfer":"${code}"},"data":{"expires":"${this.time.print(expiresUs)}"}}`;
    return new Answer(201, text, { 'Cache-Control': 'no-store' });
  }

  @Post(':id/ownership')
  @HasBody('object without data')
  @Roles({ allowed: ['broker'], refusal: roleMayNotTransfer })
  @UseGuards(MediaTypeGuard, BrokerKeyGuard, RoleGuard, EnvelopeGuard, KeyAfterBodyGuard, IdempotencyGuard)
  async takeOver(
    @Param('id') id: string,
    @Write() write: WriteRequest,
    @Req() request: RegistryRequest,
  ): Promise<Answer> {
    if (request.assetOwner === undefined) throw assetNotFoundAt(id);
    const code = memberOfAccess(envelopeOf(request).access, 'transfer');
    const { asset, token } = await this.assets.takeOver(id, code, write);
    const text = enclosed(`{"access":{"token":"${token}"},"data":`, printAsset(asset, this.time), '}');
    return new Answer(200, text, {
      ETag: entityTag(asset, this.time),
      'Cache-Control': 'no-store',
    });
  }
}
