import type { FieldFault } from '../../asset-types/fields-json.js';
import type { Asset } from '../../database/entities/asset.entity.js';

/** The last line of an asset so far. */
interface LastState extends Pick<Asset, 'assetId' | 'assetType' | 'createdUs' | 'modifiedUs' | 'feedUs'> {
  line: number;
}

/** Checks each state against the earlier lines: several lines of one asset are its history. */
export class EarlierStates {
  private readonly last = new Map<string, LastState>();
  /** Ids by the assetID. */
  private readonly ids = new Map<string, string>();

  /** How many assets there are. */
  get assets(): number {
    return this.last.size;
  }

  has({ id }: Asset): boolean {
    return this.last.has(id);
  }

  /** Adds a state. @returns its faults; where there are any, it is not added */
  add(state: Asset, line: number): FieldFault[] {
    const { id, assetId, assetType, createdUs, modifiedUs, feedUs } = state;
    const earlier = this.last.get(id);
    const faults = earlier === undefined ? this.numberFaults(state) : faultsBehind(earlier, state);
    if (faults.length > 0) return faults;
    this.ids.set(assetId, id);
    this.last.set(id, { line, assetId, assetType, createdUs, modifiedUs, feedUs });
    return [];
  }

  private numberFaults({ assetId }: Asset): FieldFault[] {
    const other = this.ids.get(assetId);
    const line = other && this.last.get(other)?.line;
    return line === undefined ? [] : [{ name: 'assetID', description: `Line ${line} has the same and another id` }];
  }
}

/** Moves are not checked: another registry may have others. */
function faultsBehind(earlier: LastState, state: Asset): FieldFault[] {
  const { line } = earlier;
  const lasting = (
    [
      ['assetID', 'assetId'],
      ['assetType', 'assetType'],
      ['date', 'createdUs'],
    ] as const
  ).filter(([, property]) => earlier[property] !== state[property]);
  const faults = lasting.map(([name]): FieldFault => ({
    name,
    description: `It is another one in line ${line}, with the same id`,
  }));
  if (state.modifiedUs <= earlier.modifiedUs)
    faults.push({ name: 'dateModified', description: `It must be later than in line ${line}, with the same id` });
  if (earlier.feedUs !== null && state.feedUs === null)
    faults.push({ name: 'status', description: `The asset was public in line ${line}, and stays public` });
  return faults;
}
