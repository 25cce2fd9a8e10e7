import type { ListedChoices } from './listed-choices.js';
import type { Condition } from './page-query.js';
import { type Texts, TEXTS } from './texts.js';
import type { Visit } from './visit.js';

/** What was searched for, in a line. */
export function toldConditions(
  conditions: readonly Condition[],
  choices: ListedChoices,
  { language }: Pick<Visit, 'language'>,
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
