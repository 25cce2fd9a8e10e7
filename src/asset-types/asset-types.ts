import type { AssetType } from './asset-type.js';
import { findFaultsOfType } from './asset-type-faults.js';

/** The installed types cannot be used; the message is a sentence naming the type and the fault. */
export class AssetTypeError extends Error {}

export class AssetTypes {
  readonly installed: readonly AssetType[];
  private readonly byName = new Map<string, AssetType>();

  /**
   * @param builtIn the types of this repository
   * @param packaged types from npm packages, with the package's name
   * @throws AssetTypeError for a faulty type, which must stop the start
   */
  constructor(
    builtIn: readonly AssetType[],
    private readonly packaged: ReadonlyMap<AssetType, string> = new Map(),
  ) {
    this.installed = [...builtIn, ...packaged.keys()];
    for (const type of this.installed) {
      if (typeof type !== 'object' || type === null)
        throw new AssetTypeError(`${String(type)} is installed, but is not an asset type`);
      const [fault] = findFaultsOfType(type);
      if (fault !== undefined)
        throw new AssetTypeError(`Asset type ${type.name}${this.origin(type)} cannot be installed: ${fault}`);
      for (const name of [type.name, ...(type.aliases ?? [])]) this.add(name, type);
    }
  }

  private add(name: string, type: AssetType): void {
    const before = this.byName.get(name);
    if (before !== undefined) {
      const origins = new Set([this.origin(before), this.origin(type)]);
      throw new AssetTypeError(
        `Two installed asset types, or aliases, have the name ${name}${[...origins].filter(Boolean).join(' and')}`,
      );
    }
    this.byName.set(name, type);
  }

  /** The package of a type as the end of a sentence; empty for a built-in type. */
  private origin(type: AssetType): string {
    const name = this.packaged.get(type);
    return name === undefined ? '' : ` (in the package ${name})`;
  }

  /** @param name or an alias */
  find(name: unknown): AssetType | undefined {
    return typeof name === 'string' ? this.byName.get(name) : undefined;
  }

  /** @param name or an alias @throws Error if the type of a stored asset is no longer installed */
  get(name: string): AssetType {
    const type = this.byName.get(name);
    if (type === undefined) throw new Error(`Asset type ${name} is stored but not installed`);
    return type;
  }
}
