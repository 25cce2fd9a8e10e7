import { type AssetTypes } from '../asset-types/asset-types.js';
import { lifecycleOf } from '../asset-types/lifecycle.js';
import type { Labels } from '../asset-types/labels.js';
import { regionLabel } from '../search/region-labels.js';
import type { Language } from './language.js';
import { isAvailableNow } from './page-query.js';
import { TEXTS } from './texts.js';

/** States and types that a search may filter by, with their labels. */
export class FilterChoices {
  readonly status: ReadonlyMap<string, Labels>;
  readonly assetType: ReadonlyMap<string, Labels>;

  constructor(types: AssetTypes) {
    this.assetType = new Map(types.installed.map(({ name, labels }) => [name, labels]));
    this.status = listedStates(types);
  }

  /** Whether the search accepts the value; it refuses types that are not installed. */
  has(name: 'status' | 'assetType', value: string): boolean {
    return this[name].has(value);
  }

  /** The label of a state, a type or a region; other values unchanged. @param name of the filter */
  label(name: string, value: string, language: Language): string {
    if (name === 'region') return regionLabel(value, language);
    if (isAvailableNow({ name, value })) return TEXTS[language].availableNow;
    const labels = name === 'status' ? this.status : this.assetType;
    return (name === 'status' || name === 'assetType' ? labels.get(value)?.[language] : undefined) ?? value;
  }
}

/** Names of the states that count as available now: listed and not final. */
export function availableStates(types: AssetTypes): string[] {
  const states = types.installed.flatMap((type) => Object.entries(lifecycleOf(type).states));
  return [...new Set(states.filter(([, { listed, final }]) => listed && final !== true).map(([name]) => name))];
}

/** Labels of the listed states by name; different labels of several types are joined. */
function listedStates(types: AssetTypes): Map<string, Labels> {
  const all = types.installed.flatMap((type) => Object.entries(lifecycleOf(type).states));
  const listed = all.filter(([, { listed: isListed }]) => isListed);
  const labelOf = (name: string, language: keyof Labels): string =>
    [...new Set(listed.filter(([other]) => other === name).map(([, { labels }]) => labels[language]))].join(' / ');
  return new Map(listed.map(([name]) => [name, { uk: labelOf(name, 'uk'), en: labelOf(name, 'en') }]));
}
