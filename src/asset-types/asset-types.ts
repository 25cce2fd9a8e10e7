import type { AssetType } from './asset-type.js';
import { fieldsOf } from './fields.js';
import { type Lifecycle, STANDARD_LIFECYCLE } from './lifecycle.js';

/** Members of every asset that no type may describe: the service, or the actor that links lots, sets them. */
export const SERVICE_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'assetID',
  'assetType',
  'status',
  'owner',
  'date',
  'dateModified',
  'relatedLot',
]);

/** The installed asset types by name. */
export class AssetTypes {
  private readonly byName: ReadonlyMap<string, AssetType>;

  /** @throws Error with a sentence that names the type and what is wrong with it: a broken type must stop the start */
  constructor(readonly installed: readonly AssetType[]) {
    this.byName = new Map(installed.map((type) => [type.name, type]));
    for (const type of installed) checkType(type);
    if (this.byName.size < installed.length) throw new Error('Two installed asset types have the same name');
  }

  find(name: unknown): AssetType | undefined {
    return typeof name === 'string' ? this.byName.get(name) : undefined;
  }

  /** @throws Error for a type that is stored but no longer installed */
  get(name: string): AssetType {
    const type = this.byName.get(name);
    if (type === undefined) throw new Error(`Asset type ${name} is stored but not installed`);
    return type;
  }
}

export function lifecycleOf(type: AssetType): Lifecycle {
  return type.lifecycle ?? STANDARD_LIFECYCLE;
}

const NAME = /^[A-Za-z][A-Za-z0-9]{0,31}$/;

function checkType(type: AssetType): void {
  const fail = (fault: string): never => {
    throw new Error(`Asset type ${type.name} cannot be installed: ${fault}`);
  };
  if (!/^[A-Za-z][A-Za-z0-9]{0,63}$/.test(type.name)) fail('its name is a letter, then letters and digits');
  if (fieldsOf(type.dto).size === 0) fail('its DTO describes no field');
  for (const field of SERVICE_FIELDS) {
    if (fieldsOf(type.dto).has(field)) fail(`its DTO describes ${field}, which the registry sets`);
  }
  for (const field of fieldsOf(type.dto).keys()) {
    if (!NAME.test(field)) fail(`the name of its field ${field} is not a letter, then letters and digits`);
  }
  const { states, moves, initial } = lifecycleOf(type);
  for (const state of Object.keys(states)) {
    if (!NAME.test(state)) fail(`the name of its state ${state} is not a letter, then letters and digits`);
  }
  for (const name of [initial, ...moves.flatMap((move) => [move.from, move.to])]) {
    if (!Object.hasOwn(states, name)) fail(`its moves name the state ${name}, which it does not have`);
  }
}
