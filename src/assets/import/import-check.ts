import type { StagedAssets } from '../../database/copy/staged-assets.js';
import { countJson, countMembers, parseMarkingInexact } from '../../http/json-text.js';
import { EarlierStates } from './earlier-states.js';
import { endedState } from './ended-state.js';
import type { ImportMap } from './import-map.js';
import { type ImportRules, readImported } from './imported-asset.js';
import type { NumberedLine } from './json-lines.js';
import { type AdjustedInstant, assignInstants, type StateInstant } from './assign-instants.js';

/** A line of the report: a fault, or an adjusted instant. */
export interface ReportedLine {
  line: number;
  /** Id of the asset, if known. */
  id?: string;
  name: string;
  description: string;
}

/** Result of the check of a file. */
export interface CheckResult {
  assets: number;
  /** Number of states in addition to the current ones. */
  earlierStates: number;
  /** If there are any, nothing may be imported. */
  faults: readonly ReportedLine[];
  adjusted: readonly ReportedLine[];
  /** How often each path of the map was applied. */
  mapped: ReadonlyMap<string, number>;
  /** The last assetID number of each local day. */
  numbers: ReadonlyMap<string, number>;
}

type JsonObject = Record<string, unknown>;

/** The same as for requests. */
const MAX_DEPTH = 16;
const NOT_AN_ASSET = 'A line must be the JSON object of an asset';
/** Day and number of an assetID. */
const NUMBERED = /-(\d{4}-\d{2}-\d{2})-(\d{6,})(?:-[A-Za-z0-9]+)?$/;

/** Checks every line of a file, and stages its assets until the first fault. */
export class ImportCheck {
  private readonly faults: ReportedLine[] = [];
  private readonly earlier = new EarlierStates();
  private readonly instants: StateInstant[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly mapped = new Map<string, number>();
  private states = 0;

  constructor(
    private readonly rules: ImportRules & { map: ImportMap; nowUs: number },
    private readonly staged: StagedAssets,
  ) {}

  async run(lines: AsyncIterable<NumberedLine>, onLine: (line: number) => void): Promise<CheckResult> {
    for await (const line of lines) {
      await this.checkLine(line);
      onLine(line.number);
    }
    const adjusted = assignInstants(this.instants, this.rules.nowUs);
    if (this.faults.length === 0) await this.arrange(adjusted);
    const { faults, mapped, numbers, states, earlier } = this;
    const { assets } = earlier;
    const reported = adjusted.map((one) => this.reportAdjusted(one));
    return { assets, earlierStates: states - assets, faults, adjusted: reported, mapped, numbers };
  }

  private async checkLine({ number: line, text, isUtf8 }: NumberedLine): Promise<void> {
    const data = isUtf8 ? parseAsset(text) : 'A line must be UTF-8';
    if (typeof data === 'string') {
      this.faults.push({ line, name: 'data', description: data });
      return;
    }
    if (isHeader(data)) return;
    const mapped = this.rules.map.apply(data);
    for (const path of mapped.paths) this.mapped.set(path, (this.mapped.get(path) ?? 0) + 1);
    const id = typeof data['id'] === 'string' ? { id: data['id'] } : {};
    const read = readImported(data, this.rules);
    const isLater = 'asset' in read && this.earlier.has(read.asset);
    const ownFaults = 'faults' in read ? read.faults : this.earlier.add(read.asset, line);
    const faults = [...mapped.faults, ...ownFaults];
    if ('faults' in read || faults.length > 0) {
      this.faults.push(...faults.map((fault) => ({ line, ...id, ...fault })));
      return;
    }
    const { asset } = read;
    this.states++;
    this.recordNumber(asset.assetId);
    // A draft's instant must be unique, too, if it ends an earlier state.
    if (asset.feedUs !== null || isLater) this.instants.push({ line, id: asset.id, us: asset.modifiedUs });
    // After a fault nothing will be imported, so the other lines are only checked.
    if (this.faults.length === 0) await this.staged.add(asset, line);
  }

  private recordNumber(assetId: string): void {
    const [, day = '', number] = NUMBERED.exec(assetId) ?? [];
    this.numbers.set(day, Math.max(this.numbers.get(day) ?? 0, Number(number)));
  }

  /** Builds the histories. Adds a fault for each adjusted instant that is no longer before the asset's next state. */
  private async arrange(adjusted: readonly AdjustedInstant[]): Promise<void> {
    for (const { line, id } of await this.staged.arrange(adjusted, endedState)) {
      const description = 'It is not later than the adjusted one of the previous line with the same id';
      this.faults.push({ line, id, name: 'dateModified', description });
    }
  }

  private reportAdjusted({ line, id, us, toUs }: AdjustedInstant): ReportedLine {
    const { time } = this.rules;
    const description = `It was ${time.print(us)}, which is in use or in the future, and becomes ${time.print(toUs)}`;
    return { line, id, name: 'dateModified', description };
  }
}

/** @returns the asset of a line, which may be inside `data` as a GET answers it; a sentence if the line has none */
function parseAsset(text: string): JsonObject | string {
  const { depth, members, hasInexactNumber } = countJson(text);
  if (depth > MAX_DEPTH) return `A line may be nested at most ${MAX_DEPTH} deep`;
  try {
    // As in requests, an inexact number is replaced by a value that no field accepts.
    const value: unknown = hasInexactNumber ? parseMarkingInexact(text) : JSON.parse(text);
    if (!isObject(value)) return NOT_AN_ASSET;
    if (countMembers(value) !== members) return 'An object repeats a key';
    return isObject(value['data']) && !('id' in value) ? value['data'] : value;
  } catch {
    return NOT_AN_ASSET;
  }
}

/** Whether the line is the header of a snapshot, or an offset that `readRegistry` has written. */
function isHeader(data: JsonObject): boolean {
  return typeof data['offset'] === 'string' && !('id' in data);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
