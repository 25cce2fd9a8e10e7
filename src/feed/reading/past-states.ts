import type { ReadAsset } from '../../database/readers/asset-row.js';
import type { AssetHistory, HistoryEntry } from './asset-history.js';

type Fields = Readonly<Record<string, unknown>>;

/** Bytes of bodies after which a reader should stop: of a large asset it compares fewer states. */
const MAX_BYTES_READ = 256 * 1024;

/** The broker's fields at places of an asset's history. Each state is read once. */
export class PastStates {
  private readonly known = new Map<number, Fields>();
  private readBytes = 0;

  /** @param present the asset as it is now @param history newest first */
  constructor(
    private readonly present: { asset: Pick<ReadAsset, 'id' | 'modifiedUs'>; values: Fields },
    readonly history: readonly HistoryEntry[],
    private readonly histories: Pick<AssetHistory, 'at'>,
  ) {}

  /** Whether no more should be read. */
  get isSpent(): boolean {
    return this.readBytes > MAX_BYTES_READ;
  }

  /** @returns undefined where the history has no such place @throws ApiError 503 */
  async at(place: number): Promise<Fields | undefined> {
    const entry = this.history[place];
    if (entry === undefined) return undefined;
    const { asset, values } = this.present;
    if (entry.modifiedUs === asset.modifiedUs) return values;
    return this.known.get(place) ?? (await this.read(place, entry));
  }

  private async read(place: number, { modifiedUs }: HistoryEntry): Promise<Fields> {
    const { body } = await this.histories.at(this.present.asset.id, modifiedUs);
    this.readBytes += body.length;
    const state = JSON.parse(body.toString()) as Fields;
    this.known.set(place, state);
    return state;
  }
}
