import { hash, hkdfSync, randomBytes } from 'node:crypto';
import type { ActingAccount } from '../database/readers/access-reader.js';
import type { Receipt } from '../database/entities/receipt.entity.js';
import { idempotencyKeyReused } from '../platform/errors/errors.js';

const SALT_BYTES = 16;
const TOKEN_BYTES = 16;

/** Ends a POST that was done before: the answer is made from its receipt. */
export class AlreadyDone extends Error {
  constructor(readonly receipt: Receipt) {
    super('Done before');
  }
}

/**
 * A POST with an Idempotency-Key. The owner token is made of the key and a salt, so that it can be told again, but only to whoever
 * brings the key: what is kept tells nobody. Source: contract section 3.
 */
export class IdempotentRequest {
  /** Id of the request's receipt. */
  readonly id: string;
  readonly bodyDigest: string;

  /** @param takenId of the asset that shall be taken over; undefined for a creation */
  constructor(
    account: ActingAccount,
    private readonly key: string,
    body: Buffer,
    takenId?: string,
  ) {
    this.id = hash('sha256', `${account.name}\0${key}`);
    // No JSON has a NUL in it, so what is sent to another path never counts as the same body.
    this.bodyDigest = hash('sha256', takenId === undefined ? body : Buffer.concat([Buffer.from(`${takenId}\0`), body]));
  }

  /** What is to be kept of the POST that creates an asset, or takes it over. */
  newReceipt(assetId: string): Omit<Receipt, 'createdUs'> {
    return { id: this.id, bodyDigest: this.bodyDigest, assetId, salt: randomBytes(SALT_BYTES).toString('hex') };
  }

  /** 32 hex characters. */
  tokenOf({ salt }: Pick<Receipt, 'salt'>): string {
    const token = hkdfSync('sha256', this.key, Buffer.from(salt, 'hex'), 'owner token', TOKEN_BYTES);
    return Buffer.from(token).toString('hex');
  }
}

/** @throws ApiError 422 when the key came with another body, or to another path */
export function checkSameBody(kept: Receipt, { bodyDigest }: Pick<Receipt, 'bodyDigest'>): void {
  if (kept.bodyDigest !== bodyDigest) throw idempotencyKeyReused();
}
