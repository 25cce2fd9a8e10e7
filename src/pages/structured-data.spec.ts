import { expect, it } from '@jest/globals';
import { RegistryTime } from '../platform/time/registry-time.js';
import type { AssetViewModel } from './asset-view-model.js';
import { structuredData } from './structured-data.js';
import { ShownTimes } from './times.js';
import type { PageContext } from './page-context.js';

const times = new ShownTimes(new RegistryTime('Europe/Kyiv'), 'Europe/Kyiv');

it('names a long title by its beginning, and ends it with no half of a character', () => {
  const asset = { id: 'a', assetId: 'UA-2026-11-25-000001', createdUs: 0, modifiedUs: 0 };
  const page = { title: `${'a'.repeat(149)}🚀!`, asset, typeLabels: { uk: 'Обʼєкт', en: 'Asset' } };
  const context = { base: 'http://registry.example', language: 'uk' } as const;
  const { text } = structuredData(page as unknown as AssetViewModel, context as PageContext, times);
  const [, json = ''] = /^<script type="application\/ld\+json">(.*)<\/script>$/s.exec(text) ?? [];
  expect(JSON.parse(json)).toMatchObject({ mainEntity: { name: 'a'.repeat(149) } });
});
