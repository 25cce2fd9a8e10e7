import type { FieldFault } from '../../asset-types/fields-json.js';
import type { StagedAssets } from '../../database/copy/staged-assets.js';
import { lifecycleOf } from '../../asset-types/lifecycle.js';
import { countJson, countMembers, parseMarkingInexact } from '../../http/json-text.js';
import type { ImportMap } from './import-map.js';
import { type ImportRules, readImported } from './imported-asset.js';
import type { NumberedLine } from './json-lines.js';
import { type MovedInstant, settleInstants } from './settled-instants.js';

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
  /** Lines by the id and the number of their asset. */
  private readonly ids = new Map<string, number>();
  private readonly assetIds = new Map<string, number>();
  private readonly instants = new Map<string, number>();
  private readonly numbers = new Map<string, number>();
  private readonly mapped = new Map<string, number>();

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
    if (this.faults.length === 0) await this.staged.order(moved, (type, status) => this.isListed(type, status));
    const { faults, mapped, numbers } = this;
    return { assets: this.ids.size, faults, moved: moved.map((one) => this.reportMoved(one)), mapped, numbers };
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
    const faults = 'faults' in read ? read.faults : this.repeated(read.asset, line);
    if ('faults' in read || faults.length > 0) {
      this.faults.push(...faults.map((fault) => ({ line, ...id, ...fault })));
      return;
    }
    const { asset, isListed } = read;
    this.noteNumber(asset.assetId);
    if (isListed) this.instants.set(asset.id, asset.modifiedUs);
    // Once there is a fault nothing will be imported, and the rest is only looked at.
    if (this.faults.length === 0) await this.staged.add(asset);
  }

  private repeated({ id, assetId }: { id: string; assetId: string }, line: number): FieldFault[] {
    const faults: FieldFault[] = [];
    const earlier = [
      ['id', id, this.ids],
      ['assetID', assetId, this.assetIds],
    ] as const;
    for (const [name, value, lines] of earlier) {
      const first = lines.get(value);
      if (first === undefined) lines.set(value, line);
      else faults.push({ name, description: `Line ${first} has the same` });
    }
    return faults;
  }

  private noteNumber(assetId: string): void {
    const [, day = '', number] = NUMBERED.exec(assetId) ?? [];
    this.numbers.set(day, Math.max(this.numbers.get(day) ?? 0, Number(number)));
  }

  private isListed(assetType: string, status: string): boolean {
    return lifecycleOf(this.rules.types.get(assetType)).states[status]?.listed === true;
  }

  private reportMoved({ id, fromUs, toUs }: MovedInstant): ReportedLine {
    const { time } = this.rules;
    const description = `It was ${time.print(fromUs)}, which another asset has or is not past, and becomes ${time.print(toUs)}`;
    return { line: this.ids.get(id) as number, id, name: 'dateModified', description };
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
