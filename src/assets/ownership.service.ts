import { Injectable } from '@nestjs/common';
import type { AnyAsset } from '../asset/asset-view.js';
import { secretDigest } from '../auth/api-key.js';
import type { Permission } from '../auth/found-in-request.js';
import { newOwnerToken } from '../auth/owner-token.js';
import { DoneBefore, type Repeatable } from '../auth/repeatable.js';
import { CODE_LIFE_US, newTransferCode } from '../auth/transfer-code.js';
import { WallClock } from '../clock/wall-clock.js';
import type { ActingAccount } from '../database/access-reader.js';
import type { Asset } from '../database/entities/asset.entity.js';
import type { Caller } from '../http/caller.js';
import type { AnyText } from '../text/encoded-text.js';
import { askedBy, AssetWriter } from './asset-writer.js';
import { AssetsService } from './assets.service.js';

/** A transfer code that was asked for, which is kept as a digest only. */
interface IssuedCode {
  code: string;
  /** From when on it is refused, in microseconds. */
  expiresUs: number;
}

/** A POST by which a broker takes an asset over, as it came in. */
interface Takeover {
  id: string;
  /** What stood in the place of the code. */
  code: unknown;
  account: ActingAccount;
  caller: Caller;
  /** Where it brought an Idempotency-Key: done once, however often it comes; then the same token is told again. */
  repeatable: Repeatable | undefined;
}

/** An asset with the owner token that its new owner was given. */
interface TakenAsset {
  asset: AnyAsset<AnyText>;
  token: string;
}

/** Assets that go from one broker to another. */
@Injectable()
export class OwnershipService {
  constructor(
    private readonly assets: AssetsService,
    private readonly writer: AssetWriter,
    private readonly clock: WallClock,
  ) {}

  /** @throws ApiError 403, 404, 503 */
  async issueCode(id: string, permission: Permission, caller: Caller): Promise<IssuedCode> {
    const code = newTransferCode();
    const expiresUs = this.clock.nowUs() + CODE_LIFE_US;
    const kept = { digest: secretDigest(code), expiresUs };
    await this.writer.write({ id, permission, code: kept, ...askedBy(permission.account, caller) }, caller);
    return { code, expiresUs };
  }

  /** @throws ApiError 403, 404, 422 when the Idempotency-Key came with another request, 503 */
  async takeOver({ id, code, account, caller, repeatable }: Takeover): Promise<TakenAsset> {
    const receipt = repeatable?.newReceipt(id);
    const token = (receipt && repeatable?.tokenOf(receipt)) ?? newOwnerToken();
    const codeDigest = typeof code === 'string' ? secretDigest(code) : undefined;
    const taking = { taker: account.name, codeDigest, tokenDigest: secretDigest(token) };
    const wanted = { id, taking, ...askedBy(account, caller) };
    try {
      const [asset] = await this.writer.write(receipt === undefined ? wanted : { ...wanted, receipt }, caller);
      return { asset: asset as Asset, token };
    } catch (error) {
      if (!(error instanceof DoneBefore) || repeatable === undefined) throw error;
      return { asset: await this.assets.get(id), token: repeatable.tokenOf(error.receipt) };
    }
  }
}
