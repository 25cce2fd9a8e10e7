import type { FilterChoices } from './filter-choices.js';
import type { Condition } from './page-query.js';
import { type Texts, TEXTS } from './texts.js';
import type { PageContext } from './page-context.js';

/** What was searched for, in a line. */
export function summarizeConditions(
  conditions: readonly Condition[],
  choices: FilterChoices,
  { language }: Pick<PageContext, 'language'>,
): string {
  const texts = TEXTS[language];
  const told = conditions.map(({ name, value }) => {
    const label = labelOf(name, texts);
    return label === undefined ? choices.label(name, value, language) : `${label} ${value}`;
  });
  return told.join(', ');
}

/** The label of a condition whose value does not speak for itself; undefined for the others. */
function labelOf(name: string, texts: Texts): string | undefined {
  return new Map([
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
