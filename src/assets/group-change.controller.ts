import { Controller, Patch, UseGuards } from '@nestjs/common';
import { printAsset } from '../asset/asset-view.js';
import { Actor, BrokerKeyGuard, KeyAfterBodyGuard } from '../auth/broker-key.guard.js';
import { GroupRoleGuard } from '../auth/roles.guard.js';
import type { ActingAccount } from '../database/access-reader.js';
import { Answer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { IsDryRun } from '../http/query-parameters.js';
import { CalledBy, type Caller } from '../http/caller.js';
import { Data, EnvelopeGuard, HasBody, MediaTypeGuard } from '../http/request-body.js';
import { RegistryTime } from '../time/registry-time.js';
import { AssetsService } from './assets.service.js';
import { DryRuns } from './dry-runs.js';
import { type GroupMember, GroupPipe } from './group-change.js';

/** Several assets that are changed as one. The guards stand in the contract's order of checks (sections 8 and 15). */
@Controller(apiPaths('assets'))
export class GroupChangeController {
  constructor(
    private readonly assets: AssetsService,
    private readonly dryRuns: DryRuns,
    private readonly time: RegistryTime,
  ) {}

  @Patch()
  @HasBody('list of data')
  @UseGuards(MediaTypeGuard, BrokerKeyGuard, GroupRoleGuard, EnvelopeGuard, KeyAfterBodyGuard)
  async change(
    @Data(GroupPipe) members: GroupMember[],
    @Actor() account: ActingAccount,
    @CalledBy() caller: Caller,
    @IsDryRun() isDryRun: boolean,
  ): Promise<Answer> {
    const change = { members, account, caller };
    const texts = isDryRun
      ? await caller.inTime(this.dryRuns.changeGroup(change))
      : (await this.assets.changeGroup(change)).map((asset) => printAsset(asset, this.time));
    return new Answer(200, `{"data":[${texts.join(',')}]}`);
  }
}
