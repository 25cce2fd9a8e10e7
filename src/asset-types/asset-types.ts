import type { AssetType } from './asset-type.js';
import { findFaultOfType } from './asset-type-faults.js';
import { type Lifecycle, STANDARD_LIFECYCLE } from './lifecycle.js';

/** The installed asset types by name. */
export class AssetTypes {
  private readonly byName = new Map<string, AssetType>();

  /** @throws Error with a sentence that names the type and what is wrong with it: a broken type must stop the start */
  constructor(readonly installed: readonly AssetType[]) {
    for (const type of installed) {
      if (typeof type !== 'object' || type === null)
        throw new Error(`${String(type)} is installed, but is no asset type`);
      const fault = findFaultOfType(type);
      if (fault !== undefined) throw new Error(`Asset type ${type.name} cannot be installed: ${fault}`);
      for (const name of [type.name, ...(type.aliases ?? [])]) this.add(name, type);
    }
  }

  private add(name: string, type: AssetType): void {
    if (this.byName.has(name)) throw new Error(`Two installed asset types, or aliases, have the name ${name}`);
    this.byName.set(name, type);
  }

  /** @param name or an alias */
  find(name: unknown): AssetType | undefined {
    return typeof name === 'string' ? this.byName.get(name) : undefined;
  }

  /** @param name or an alias @throws Error for a type that is stored but no longer installed */
  get(name: string): AssetType {
    const type = this.byName.get(name);
    if (type === undefined) throw new Error(`Asset type ${name} is stored but not installed`);
    return type;
  }
}

export function lifecycleOf(type: AssetType): Lifecycle {
  return type.lifecycle ?? STANDARD_LIFECYCLE;
}
