import { randomBytes } from 'node:crypto';

/** Validity of a transfer code: 30 days. Source: contract section 13. */
export const TRANSFER_CODE_TTL_US = 30 * 24 * 3_600 * 1_000_000;

/** 32 hex characters from a cryptographic source. */
export function newTransferCode(): string {
  return randomBytes(16).toString('hex');
}
