import { isRegionOfUkraine, REGIONS_OF_UKRAINE } from '../search/region-labels.js';
import { ByteBudget } from './byte-budget.js';
import { escaped } from './html.js';
import type { Language } from './language.js';

/** Brokers name regions of other countries as they like. */
const BYTES_OF_OTHERS = 1_000;

/**
 * Names of the regions that the form offers, in the page's language: the 27 of Ukraine, then others as far as there is room.
 * @param offered regions of listed assets, the most frequent first
 */
export function regionChoices(offered: readonly string[], language: Language): string[] {
  const budget = new ByteBudget(BYTES_OF_OTHERS);
  const others = offered.filter((name) => !isRegionOfUkraine(name));
  return [
    ...REGIONS_OF_UKRAINE.map((labels) => labels[language]),
    ...others.filter((name) => budget.reserve(Buffer.byteLength(escaped(name)))),
  ];
}
