import type { WantedWrite } from '../assets/asset-writer.js';
import { DoneBefore } from '../auth/repeatable.js';
import type { Asset } from '../database/entities/asset.entity.js';
import type { Receipt } from '../database/entities/receipt.entity.js';
import { ApiError } from '../errors/api-error.js';

/** To the process that writes. `n` counts the writes of a connection. */
export type Asking = { n: number; wanted: WantedWrite; askedMs: number } | { n: number; gone: true };

/** What became of a write; or that the process ends, and takes no more. */
export type Telling = ({ n: number } & Outcome) | { ends: true };

type Outcome =
  | { assets: readonly ToldAsset[] }
  | { refusal: Pick<ApiError, 'status' | 'faults' | 'headers'> }
  | { before: Receipt }
  | { defect: string }
  /** It was not begun, as the process ends. */
  | { untouched: true };

/** An asset on its way back, without the body where that is what was sent: of nearly all that is created. */
type ToldAsset = Omit<Asset, 'body'> & Partial<Pick<Asset, 'body'>>;

/** What is told of a write's assets. */
export function toTold(assets: readonly Asset[], wanted: WantedWrite): readonly ToldAsset[] {
  if (!('draft' in wanted)) return assets;
  return assets.map(({ body, ...asset }) => (body === wanted.draft.body ? asset : { ...asset, body }));
}

/** The assets that were told of. */
export function toAssets(told: readonly ToldAsset[], wanted: WantedWrite): Asset[] {
  return 'draft' in wanted ? told.map((asset) => ({ body: wanted.draft.body, ...asset })) : (told as Asset[]);
}

/** Milliseconds on a clock that never steps, and that all processes of a host share. */
export function hostMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** What a write failed with, as a message. */
export function toOutcome(error: unknown): Outcome {
  if (error instanceof DoneBefore) return { before: error.receipt };
  if (error instanceof ApiError) {
    const { status, faults, headers } = error;
    return { refusal: { status, faults, headers } };
  }
  return { defect: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** The error that a message stands for. */
export function toError(outcome: Exclude<Outcome, { assets: readonly ToldAsset[] } | { untouched: true }>): Error {
  if ('before' in outcome) return new DoneBefore(outcome.before);
  if ('refusal' in outcome) {
    const { status, faults, headers } = outcome.refusal;
    return new ApiError(status, faults, headers);
  }
  return new Error(`In the process that writes: ${outcome.defect}`);
}
