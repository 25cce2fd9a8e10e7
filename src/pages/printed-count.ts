import type { Count } from './list-counts.js';
import type { PageContext } from './page-context.js';
import { printNumber } from './shown-values.js';
import { TEXTS } from './texts.js';

/** Such as `1,234`, or `more than 10,000`. */
export function printCount({ count, isExact }: Count, { language }: PageContext): string {
  const number = printNumber(count, language);
  return isExact ? number : `${TEXTS[language].moreThan} ${number}`;
}
