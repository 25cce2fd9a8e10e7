import { Injectable } from '@nestjs/common';
import { digestOf } from '../auth/api-key.js';
import type { Permission } from '../auth/found-in-request.js';
import { newOwnerToken } from '../auth/owner-token.js';
import { CODE_LIFE_US, newTransferCode } from '../auth/transfer-code.js';
import { WallClock } from '../clock/wall-clock.js';
import type { ActingAccount } from '../database/access-reader.js';
import type { Asset } from '../database/entities/asset.entity.js';
import type { Caller } from '../http/exchange.js';
import { AssetWriter } from './asset-writer.js';
import { askedBy, type CreatedAsset } from './assets.service.js';

/** A transfer code that was asked for, which is kept as a digest only. */
export interface IssuedCode {
  code: string;
  /** From when on it is refused, in microseconds. */
  expiresUs: number;
}

/** About how many bytes it takes to hold what is asked for here. */
const BYTES = 200;

/** Assets that go from one broker to another. */
@Injectable()
export class OwnershipService {
  constructor(
    private readonly writer: AssetWriter,
    private readonly clock: WallClock,
  ) {}

  /** @throws ApiError 403, 404, 503 */
  async issueCode(id: string, permission: Permission, caller: Caller): Promise<IssuedCode> {
    const code = newTransferCode();
    const expiresUs = this.clock.nowUs() + CODE_LIFE_US;
    const kept = { digest: digestOf(code), expiresUs };
    await this.writer.write(
      { id, permission, code: kept, bytes: BYTES, ...askedBy(permission.account, caller) },
      caller,
    );
    return { code, expiresUs };
  }

  /** @param code what stood in its place @returns the asset with its new owner token @throws ApiError 403, 404, 503 */
  async takeOver(id: string, code: unknown, account: ActingAccount, caller: Caller): Promise<CreatedAsset> {
    const token = newOwnerToken();
    const codeDigest = typeof code === 'string' ? digestOf(code) : undefined;
    const taking = { taker: account.name, codeDigest, tokenDigest: digestOf(token) };
    const [asset] = await this.writer.write({ id, taking, bytes: BYTES, ...askedBy(account, caller) }, caller);
    return { asset: asset as Asset, token };
  }
}
