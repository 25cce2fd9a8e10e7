import type { StagedAssets } from '../../database/copy/staged-assets.js';
import { countJson, countMembers, parseMarkingInexact } from '../../http/json-text.js';
import { EarlierStates } from './earlier-states.js';
import { endedState } from './ended-state.js';
import type { ImportMap } from './import-map.js';
import { type ImportRules, readImported } from './imported-asset.js';
import type { NumberedLine } from './json-lines.js';
import { type MovedInstant, settleInstants, type StateInstant } from './settled-instants.js';

/** A line of the report: a fault, or an instant that moved. */
export interface ReportedLine {
  line: number;
  /** The asset's, where it is known. */
  id?: string;
  name: string;
  description: string;
}

/** What the check of a file came to. */
export interface Checked {
  assets: number;
  /** How many states there are in addition to the present ones. */
  earlierStates: number;
  /** Where there are any, nothing may be imported. */
  faults: readonly ReportedLine[];
  moved: readonly ReportedLine[];
  /** How often each path of the map was applied. */
  mapped: ReadonlyMap<string, number>;
  /** The last number of each local day. */
  numbers: ReadonlyMap<string, number>;
}

type JsonObject = Record<string, unknown>;

/** As in a request. */
const MAX_DEPTH = 16;
const NO_ASSET = 'A line is the JSON object of an asset';
/** Day and number of an assetID. */
const NUMBERED = /-(\d{4}-\d{2}-\d{2})-(\d{6,})(?:-[A-Za-z0-9]+)?$/;

/** Checks every line of a file, and stages its assets while there is no fault. */
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

  async take(lines: AsyncIterable<NumberedLine>, reached: (line: number) => void): Promise<Checked> {
    for await (const line of lines) {
      await this.takeLine(line);
      reached(line.number);
    }
    const moved = settleInstants(this.instants, this.rules.nowUs);
    if (this.faults.length === 0) await this.arrange(moved);
    const { faults, mapped, numbers, states, earlier } = this;
    const reported = moved.map((one) => this.reportMoved(one));
    return { assets: earlier.assets, earlierStates: states - earlier.assets, faults, moved: reported, mapped, numbers };
  }

  private async takeLine({ number: line, text }: NumberedLine): Promise<void> {
    const data = assetIn(text);
    if (typeof data === 'string') {
      this.faults.push({ line, name: 'data', description: data });
      return;
    }
    if (isHeader(data)) return;
    for (const path of this.rules.map.apply(data)) this.mapped.set(path, (this.mapped.get(path) ?? 0) + 1);
    const id = typeof data['id'] === 'string' ? { id: data['id'] } : {};
    const read = readImported(data, this.rules);
    const isLater = 'asset' in read && this.earlier.has(read.asset);
    const faults = 'faults' in read ? read.faults : this.earlier.add(read.asset, line);
    if ('faults' in read || faults.length > 0) {
      this.faults.push(...faults.map((fault) => ({ line, ...id, ...fault })));
      return;
    }
    const { asset } = read;
    this.states++;
    this.noteNumber(asset.assetId);
    // A state ends at the instant of the next one, so that of a later draft is unique, too.
    if (asset.feedUs !== null || isLater) this.instants.push({ line, id: asset.id, us: asset.modifiedUs });
    // Once there is a fault nothing will be imported, and the rest is only looked at.
    if (this.faults.length === 0) await this.staged.add(asset, line);
  }

  private noteNumber(assetId: string): void {
    const [, day = '', number] = NUMBERED.exec(assetId) ?? [];
    this.numbers.set(day, Math.max(this.numbers.get(day) ?? 0, Number(number)));
  }

  /** An instant that moved may have passed that of the asset's next state. */
  private async arrange(moved: readonly MovedInstant[]): Promise<void> {
    for (const { line, id } of await this.staged.arrange(moved, endedState)) {
      const description = 'It is not later than that of the line before with the same id, which had to move';
      this.faults.push({ line, id, name: 'dateModified', description });
    }
  }

  private reportMoved({ line, id, us, toUs }: MovedInstant): ReportedLine {
    const { time } = this.rules;
    const description = `It was ${time.print(us)}, which another asset has or is not past, and becomes ${time.print(toUs)}`;
    return { line, id, name: 'dateModified', description };
  }
}

/** @returns the asset of a line, alone or as a GET answers it; a sentence where there is none */
function assetIn(text: string): JsonObject | string {
  const { depth, members, hasInexactNumber } = countJson(text);
  if (depth > MAX_DEPTH) return `A line is nested at most ${MAX_DEPTH} deep`;
  try {
    // As in a request: a number that would not be kept exactly is one that no field takes.
    const value: unknown = hasInexactNumber ? parseMarkingInexact(text) : JSON.parse(text);
    if (!isObject(value)) return NO_ASSET;
    if (countMembers(value) !== members) return 'An object repeats a key';
    return isObject(value['data']) && !('id' in value) ? value['data'] : value;
  } catch {
    return NO_ASSET;
  }
}

/** The first line of a snapshot of this registry, and what a registry that is read leaves between its pages, are no assets. */
function isHeader(data: JsonObject): boolean {
  return typeof data['offset'] === 'string' && !('id' in data);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
