import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createIn, type Owned } from '../../support/assets.js';
import { databases, type TestDatabaseKind } from '../../support/databases.js';
import { Site } from '../../support/site.js';

const [sqlite] = databases as [TestDatabaseKind];

const MAX_STEPS = 60;

/** The focused element. */
interface Stop {
  /** Its index among all elements of the document. */
  position: number;
  name: string;
  /** Whether it stands out, and where it can be seen. */
  isMarked: boolean;
  isInView: boolean;
}

const FOCUS = `(() => {
  const focused = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  const { top, bottom, height } = focused.getBoundingClientRect();
  return {
    position: focused === document.body ? -1 : [...document.querySelectorAll('*')].indexOf(focused),
    name: focused.getAttribute('name') ?? focused.innerText.trim(),
    isMarked: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
    isInView: height > 0 && bottom > 0 && top < innerHeight,
  };
})()`;
const COUNT_FOCUSABLE = `[...document.querySelectorAll('a[href], input:not([type=hidden]), select, button, summary, [tabindex="0"]')]
  .filter((one) => one.checkVisibility({ contentVisibilityProperty: true })).length`;

describe('with the keyboard alone', () => {
  let site: Site;
  let asset: Owned['asset'];

  beforeAll(async () => {
    site = await Site.start(sqlite);
    await createIn(site, 'pending');
    ({ asset } = await createIn(site, 'active'));
    await site.indexed();
  });
  afterAll(() => site?.stop());
  afterEach(async () => expect(await site.leave()).toEqual([]));

  it.each(['/', '/?q=космодром', '/assets/'])(
    '%s: Tab visits everything in order, with a visible focus',
    async (path) => {
      const page = await site.open(path === '/assets/' ? `/assets/${asset.assetID}` : path);
      const stops = await stopsOf(page);
      const focusable = await page.evaluate<number>(COUNT_FOCUSABLE);
      expect(stops).toHaveLength(focusable);
      expect(stops.filter(({ isMarked, isInView }) => !isMarked || !isInView)).toEqual([]);
      const positions = stops.map(({ position }) => position);
      expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    },
  );

  it('the first stop skips the head of the page', async () => {
    const page = await site.open('/');
    await page.keyboard.press('Tab');
    expect((await focusOf(page)).name).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect((await focusOf(page)).name).toBe('q');
  });

  it('an asset is searched for, opened, and its JSON shown', async () => {
    const page = await site.open('/');
    await tabTo(page, 'q');
    await page.keyboard.type('космодром');
    await tabTo(page, 'Search');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=/);
    await tabTo(page, 'In a lot\n1');
    await page.keyboard.press('Enter');
    await page.waitForURL(/status=active/);
    await tabTo(page, 'Земля для космодрому');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/assets/${asset.assetID}`);
    await tabTo(page, 'Raw JSON');
    expect(await page.locator('details pre').isVisible()).toBe(false);
    await page.keyboard.press('Enter');
    expect(await page.locator('details pre').isVisible()).toBe(true);
  });

  it('the language is switched', async () => {
    const page = await site.open('/');
    await tabTo(page, 'Українська');
    await page.keyboard.press('Enter');
    await page.waitForURL(/lang=uk/);
    expect(await page.locator('html').getAttribute('lang')).toBe('uk');
  });
});

/** Everything that Tab stops at, from the top of the page to its end. */
async function stopsOf(page: Page): Promise<Stop[]> {
  const stops: Stop[] = [];
  for (let i = 0; i < MAX_STEPS; i++) {
    await page.keyboard.press('Tab');
    const stop = await focusOf(page);
    // Then the focus is in the browser itself.
    if (stop.position < 0 || stop.position === stops[0]?.position) break;
    // The parts of a date are stops of one element.
    if (stop.position !== stops.at(-1)?.position) stops.push(stop);
  }
  return stops;
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let i = 0; i < MAX_STEPS; i++) {
    await page.keyboard.press('Tab');
    if ((await focusOf(page)).name === name) return;
  }
  throw new Error(`Tab does not come to ${name}`);
}

function focusOf(page: Page): Promise<Stop> {
  return page.evaluate<Stop>(FOCUS);
}
