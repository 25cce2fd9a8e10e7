import type { WantedWrite } from '../assets/wanted-write.js';
import { DoneBefore } from '../auth/repeatable.js';
import type { Asset } from '../database/entities/asset.entity.js';
import type { Receipt } from '../database/entities/receipt.entity.js';
import { ApiError, UnavailableError, type UnavailableReason } from '../errors/api-error.js';

/** To the process that writes. `n` counts the writes of a connection. */
export type WriterRequest = { n: number; wanted: WantedWrite; askedMs: number } | { n: number; gone: true };

/** What became of a write; or that the process ends, and takes no more. */
export type WriterReply = ({ n: number } & Outcome) | { ends: true };

type Outcome =
  | { assets: Asset[] }
  | { refusal: Pick<ApiError, 'status' | 'faults' | 'headers'> & { reason?: UnavailableReason } }
  | { before: Receipt }
  | { defect: string }
  /** The write was not begun, because the writer's process ends. */
  | { untouched: true };

/** Milliseconds on a clock that never steps, and that all processes of a host share. */
export function hostMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** What a write failed with, as a message. */
export function toOutcome(error: unknown): Outcome {
  if (error instanceof DoneBefore) return { before: error.receipt };
  if (error instanceof ApiError) {
    const { status, faults, headers } = error;
    const reason = error instanceof UnavailableError ? { reason: error.reason } : {};
    return { refusal: { status, faults, headers, ...reason } };
  }
  return { defect: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** The error that a message stands for. */
export function toError(outcome: Exclude<Outcome, { assets: Asset[] } | { untouched: true }>): Error {
  if ('before' in outcome) return new DoneBefore(outcome.before);
  if ('refusal' in outcome) {
    const { status, faults, headers, reason } = outcome.refusal;
    return reason === undefined ? new ApiError(status, faults, headers) : new UnavailableError(reason, faults, headers);
  }
  return new Error(`In the process that writes: ${outcome.defect}`);
}
