import type { FilterChoices } from './filter-choices.js';
import { type Condition, isAvailableNow } from './page-query.js';
import { money } from './shown-values.js';
import { type Texts, TEXTS } from './texts.js';
import { isAmount } from './typed-values.js';
import type { PageContext } from './page-context.js';

/** Conditions that are shown by their value alone. */
const WITHOUT_LABEL = new Set(['q', 'status', 'assetType', 'region', 'currency', 'sort']);

/** Conditions in one line. */
export function summarizeConditions(
  conditions: readonly Condition[],
  choices: FilterChoices,
  { language }: Pick<PageContext, 'language'>,
): string {
  const texts = TEXTS[language];
  const parts = conditions.map(({ name, value }) =>
    WITHOUT_LABEL.has(name) ? choices.label(name, value, language) : `${labelOf(name, texts)} ${value}`,
  );
  return parts.join(', ');
}

/** Conditions of one name with their label, such as `Region: Lviv`. @param currency of amounts */
export function describeConditions(
  conditions: readonly Condition[],
  { choices, currency }: { choices: FilterChoices; currency: string | undefined },
  { language }: Pick<PageContext, 'language'>,
): string {
  const [name = ''] = conditions.map((one) => one.name);
  if (conditions.every(isAvailableNow)) return TEXTS[language].availableNow;
  const values = conditions.map(({ value }) =>
    isAmount(name) ? money(value as `${number}`, currency ?? '', language) : choices.label(name, value, language),
  );
  return `${labelOf(name, TEXTS[language])}: ${values.join(', ')}`;
}

function labelOf(name: string, texts: Texts): string | undefined {
  return new Map([
    ['q', texts.words],
    ['status', texts.state],
    ['assetType', texts.type],
    ['region', texts.region],
    ['currency', texts.currency],
    ['custodian', texts.custodian],
    ['classification', texts.classificationShort],
    ['relatedLot', texts.relatedLot],
    ['owner', texts.broker],
    ['valueFrom', texts.valueFrom],
    ['valueTo', texts.valueTo],
    ['modifiedFrom', texts.modifiedFrom],
    ['modifiedTo', texts.modifiedTo],
  ]).get(name);
}
