import type { ReadAsset } from '../../database/readers/asset-row.js';
import type { AssetHistory, HistoryEntry } from './asset-history.js';

type Fields = Readonly<Record<string, unknown>>;

/** After reading this many bytes of bodies callers should stop, and so compare fewer states of a large asset. */
const MAX_BYTES_READ = 256 * 1024;

/** Reads the broker's fields in past states of an asset, each state once. */
export class PastStates {
  private readonly known = new Map<number, Fields>();
  private readBytes = 0;

  /** @param present the current state @param history newest first */
  constructor(
    private readonly present: { asset: Pick<ReadAsset, 'id' | 'modifiedUs'>; values: Fields },
    readonly history: readonly HistoryEntry[],
    private readonly histories: Pick<AssetHistory, 'at'>,
  ) {}

  /** Whether the budget of bytes is spent. */
  get isSpent(): boolean {
    return this.readBytes > MAX_BYTES_READ;
  }

  /** @param index in the history @returns undefined beyond its end @throws ApiError 503 */
  async at(index: number): Promise<Fields | undefined> {
    const entry = this.history[index];
    if (entry === undefined) return undefined;
    const { asset, values } = this.present;
    if (entry.modifiedUs === asset.modifiedUs) return values;
    return this.known.get(index) ?? (await this.read(index, entry));
  }

  private async read(index: number, { modifiedUs }: HistoryEntry): Promise<Fields> {
    const { body } = await this.histories.at(this.present.asset.id, modifiedUs);
    this.readBytes += body.length;
    const state = JSON.parse(body.toString()) as Fields;
    this.known.set(index, state);
    return state;
  }
}
