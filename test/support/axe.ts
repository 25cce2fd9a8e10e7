import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Result } from 'axe-core';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Runs axe-core on a page: labels, contrast, headings, landmarks, languages and more.
 * @param rules only these axe-core rules
 * @returns a line for each violating element; empty if there are none
 */
export async function accessibilityViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Evaluated through the DevTools protocol, which the page's Content-Security-Policy does not block.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(SOURCE);
  const runOnly = rules === undefined ? { type: 'tag', values: TAGS } : { type: 'rule', values: rules };
  // Without a list of the elements that pass.
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  const { violations, checked } = await page.evaluate<{ violations: Result[]; checked: number }>(
    `axe.run(${options}).then(({ violations, passes }) => ({ violations, checked: passes.length }))`,
  );
  if (checked === 0) throw new Error('axe has checked nothing');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}
