import { Controller, Patch, UseGuards } from '@nestjs/common';
import { printAsset } from '../feed/reading/asset-view.js';
import { BrokerKeyGuard, KeyAfterBodyGuard } from '../auth/broker-key.guard.js';
import { RoleGuard, Roles } from '../auth/role.guard.js';
import { roleMayNotChangeGroups } from '../platform/errors/errors.js';
import { Answer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { Data, EnvelopeGuard, HasBody, MediaTypeGuard } from '../http/request-body.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { AssetsService } from './assets.service.js';
import { type GroupMember, GroupPipe } from './group-change.js';
import { Write, type WriteRequest } from './write-request.js';

/** Atomic changes of several assets. The guards run in the contract's order of checks (sections 8 and 15). */
@Controller(apiPaths('assets'))
export class GroupChangeController {
  constructor(
    private readonly assets: AssetsService,
    private readonly time: RegistryTime,
  ) {}

  /** Only for the roles that need no owner token. */
  @Patch()
  @HasBody('list of data')
  @Roles({ allowed: ['concierge', 'administrator'], refusal: roleMayNotChangeGroups })
  @UseGuards(MediaTypeGuard, BrokerKeyGuard, RoleGuard, EnvelopeGuard, KeyAfterBodyGuard)
  async change(@Data(GroupPipe) members: GroupMember[], @Write() write: WriteRequest): Promise<Answer> {
    const assets = await this.assets.changeGroup(members, write);
    return new Answer(200, `{"data":[${assets.map((asset) => printAsset(asset, this.time)).join(',')}]}`);
  }
}
