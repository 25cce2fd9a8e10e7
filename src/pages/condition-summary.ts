import type { FilterChoices } from './filter-choices.js';
import { type Condition, isAvailableNow } from './page-query.js';
import type { Language } from './language.js';
import { money } from './shown-values.js';
import { type Texts, TEXTS } from './texts.js';
import { isDay, printDay } from './times.js';
import { fieldLabelOf } from './search-errors.js';
import { isAmount } from './typed-values.js';
import type { PageContext } from './page-context.js';

/** Conditions that are shown by their value alone. */
const WITHOUT_LABEL = new Set(['q', 'status', 'assetType', 'region', 'currency', 'sort']);

/** The conditions without the order; the currency of a price is shown with it. */
export function shownConditions(conditions: readonly Condition[]): Condition[] {
  const isPriced = conditions.some(({ name }) => isAmount(name));
  return conditions.filter(({ name }) => name !== 'sort' && !(name === 'currency' && isPriced));
}

/** Conditions in one line. */
export function summarizeConditions(
  conditions: readonly Condition[],
  choices: FilterChoices,
  { language }: Pick<PageContext, 'language'>,
): string {
  const currency = conditions.find(({ name }) => name === 'currency')?.value;
  const parts = shownConditions(conditions).map((one) => {
    const value = valueOf(one, { choices, currency }, language);
    return WITHOUT_LABEL.has(one.name) ? value : `${labelOf(one.name, TEXTS[language])} ${value}`;
  });
  return parts.join(', ');
}

interface Shown {
  choices: FilterChoices;
  /** Of amounts. */
  currency: string | undefined;
}

/** Conditions of one name with their label, such as `Region: Lviv`. */
export function describeConditions(
  conditions: readonly Condition[],
  shown: Shown,
  { language }: Pick<PageContext, 'language'>,
): string {
  const [name = ''] = conditions.map((one) => one.name);
  if (conditions.every(isAvailableNow)) return TEXTS[language].availableNow;
  const values = conditions.map((one) => valueOf(one, shown, language));
  return `${labelOf(name, TEXTS[language])}: ${values.join(', ')}`;
}

function valueOf({ name, value }: Condition, { choices, currency = '' }: Shown, language: Language): string {
  if (isAmount(name)) return money(value as `${number}`, currency, language);
  return name.startsWith('modified') && isDay(value) ? printDay(value, language) : choices.label(name, value, language);
}

function labelOf(name: string, texts: Texts): string {
  if (name === 'q') return texts.words;
  return name === 'classification' ? texts.classificationShort : fieldLabelOf(name, texts);
}
