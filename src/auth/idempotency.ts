import { hash, hkdfSync, randomBytes } from 'node:crypto';
import type { ActingAccount } from '../database/readers/access-reader.js';
import type { Receipt } from '../database/entities/receipt.entity.js';
import { idempotencyKeyReused } from '../platform/errors/errors.js';

const SALT_BYTES = 16;
const TOKEN_BYTES = 16;

/** Ends a repeated POST; its answer is made from the receipt. */
export class AlreadyDone extends Error {
  constructor(readonly receipt: Receipt) {
    super('Done before');
  }
}

/**
 * A POST with an Idempotency-Key. The owner token is derived from the key and a stored salt, so only a client that sends the key again can get
 * the token again; the stored data alone does not reveal it. Source: contract section 3.
 */
export class IdempotentRequest {
  /** Id of the request's receipt. */
  readonly id: string;
  readonly bodyDigest: string;

  /** @param assetId of a takeover; undefined for a creation */
  constructor(
    account: ActingAccount,
    private readonly key: string,
    body: Buffer,
    assetId?: string,
  ) {
    this.id = hash('sha256', `${account.name}\0${key}`);
    // JSON contains no NUL, so a request to another path never has the same digest.
    this.bodyDigest = hash('sha256', assetId === undefined ? body : Buffer.concat([Buffer.from(`${assetId}\0`), body]));
  }

  /** The receipt to store for a creation or a takeover. */
  newReceipt(assetId: string): Omit<Receipt, 'createdUs'> {
    return { id: this.id, bodyDigest: this.bodyDigest, assetId, salt: randomBytes(SALT_BYTES).toString('hex') };
  }

  /** 32 hex characters. */
  tokenOf({ salt }: Pick<Receipt, 'salt'>): string {
    const token = hkdfSync('sha256', this.key, Buffer.from(salt, 'hex'), 'owner token', TOKEN_BYTES);
    return Buffer.from(token).toString('hex');
  }
}

/** @throws ApiError 422 if the key was used with another body or path */
export function checkSameBody(receipt: Receipt, { bodyDigest }: Pick<Receipt, 'bodyDigest'>): void {
  if (receipt.bodyDigest !== bodyDigest) throw idempotencyKeyReused();
}
