import { describe, expect, it } from '@jest/globals';
import { AssetTypes } from '../asset-types/asset-types.js';
import { targetOf } from '../http/request-target.js';
import { EncodedText } from '../platform/text/encoded-text.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { AssetViewModel } from './asset-view-model.js';
import { AssetSummaries, fitSummaries } from './asset-summary.js';
import { Html } from './html.js';
import { ShownTimes } from './times.js';

const MAX_BEYOND = 9_500;
const summary = (brief: number, whole: number): Parameters<typeof fitSummaries>[0][number] => ({
  brief: new Html('b'.repeat(brief)),
  whole: new Html('w'.repeat(whole)),
});
const sizesOf = (shown: readonly Html[]): number[] => shown.map(({ text }) => text.length);

describe('the assets of a list', () => {
  it('are whole while they fit, smallest first, in the order of the list', () => {
    const shown = sizesOf(
      fitSummaries([summary(800, 9_000), summary(800, 4_000), summary(800, 800), summary(800, 900)]),
    );
    expect(shown).toEqual([800, 4_000, 800, 900]);
  });

  it('have the longest title whole in Ukrainian, where there is room', () => {
    const title = 'Ж'.repeat(2_000);
    const asset = {
      id: '0'.repeat(32),
      assetId: 'UA-2026-11-21-000001',
      assetType: 'thing',
      status: 'active',
      owner: 'broker',
      relatedLot: null,
      createdUs: 0,
      modifiedUs: 1_761_000_000_000_000,
      body: EncodedText.from(Buffer.from(JSON.stringify({ title }))),
    };
    const summaries = new AssetSummaries(new ShownTimes(new RegistryTime('Europe/Kyiv'), 'Europe/Kyiv'));
    const { query, path } = targetOf({ url: '/' });
    const context = {
      language: 'uk',
      hasChosen: false,
      base: '',
      root: '',
      path,
      query,
      hasSearch: true,
      publisher: {},
    } as const;
    const shown = fitSummaries([summaries.show(new AssetViewModel(asset, new AssetTypes([])), context)]);
    expect(shown[0]?.text).toContain(title);
  });

  it('never take more than their bytes', () => {
    const shown = sizesOf(fitSummaries(Array.from({ length: 25 }, (_, i) => summary(800, 2_000 + i))));
    expect(shown.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(25 * 800 + MAX_BEYOND);
    expect(shown.filter((size) => size > 800).length).toBeGreaterThan(5);
  });
});
