import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExecutedPage } from '../support/executed-page.js';
import { readPage, titleOf } from '../support/page-blocks.js';

/* Pages that lead a reader through something, done block by block: ExecutedPage says how blocks are understood. */

describe.each(['docs/tutorial.md', 'docs/asset-types.md', 'docs/modules.md'])('%s', (path) => {
  const steps = readPage(readFileSync(path, 'utf8'));
  let page: ExecutedPage;

  beforeAll(async () => {
    page = await ExecutedPage.begin();
  });
  afterAll(() => page?.end());

  it('has commands, and starts the service', () => {
    expect(
      steps.filter((step) => step.does === 'run' && /npm start|dist\/main/.test(step.command)).length,
    ).toBeGreaterThan(1);
  });

  // One after the other: each goes on from what those before it have left.
  it.each(steps.map((step) => [titleOf(step), step] as const))('%s', (_, step) => page.do(step));
});
