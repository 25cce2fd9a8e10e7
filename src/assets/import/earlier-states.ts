import type { FieldFault } from '../../asset-types/fields-json.js';
import type { Asset } from '../../database/entities/asset.entity.js';

/** The latest state of an asset so far, with its line. */
interface LastState extends Pick<Asset, 'assetId' | 'assetType' | 'createdUs' | 'modifiedUs' | 'feedUs'> {
  line: number;
}

/** Checks each state against the earlier lines, because several lines of one asset are its history. */
export class EarlierStates {
  private readonly last = new Map<string, LastState>();
  private readonly idByAssetId = new Map<string, string>();

  /** Number of assets. */
  get assets(): number {
    return this.last.size;
  }

  has({ id }: Asset): boolean {
    return this.last.has(id);
  }

  /** Adds a state, unless it is faulty. @returns its faults */
  add(state: Asset, line: number): FieldFault[] {
    const { id, assetId, assetType, createdUs, modifiedUs, feedUs } = state;
    const earlier = this.last.get(id);
    const faults = earlier === undefined ? this.assetIdFaults(state) : faultsAfter(earlier, state);
    if (faults.length > 0) return faults;
    this.idByAssetId.set(assetId, id);
    this.last.set(id, { line, assetId, assetType, createdUs, modifiedUs, feedUs });
    return [];
  }

  private assetIdFaults({ assetId }: Asset): FieldFault[] {
    const other = this.idByAssetId.get(assetId);
    const line = other && this.last.get(other)?.line;
    return line === undefined
      ? []
      : [{ name: 'assetID', description: `Line ${line} has the same assetID with another id` }];
  }
}

/** Does not check moves, because the other registry may have allowed others. */
function faultsAfter(earlier: LastState, state: Asset): FieldFault[] {
  const { line } = earlier;
  const constants = (
    [
      ['assetID', 'assetId'],
      ['assetType', 'assetType'],
      ['date', 'createdUs'],
    ] as const
  ).filter(([, property]) => earlier[property] !== state[property]);
  const faults = constants.map(([name]): FieldFault => ({
    name,
    description: `It differs from line ${line}, which has the same id`,
  }));
  if (state.modifiedUs <= earlier.modifiedUs)
    faults.push({ name: 'dateModified', description: `It must be later than in line ${line}, which has the same id` });
  if (earlier.feedUs !== null && state.feedUs === null)
    faults.push({ name: 'status', description: `The asset was public in line ${line} and must stay public` });
  return faults;
}
