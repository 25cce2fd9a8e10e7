import { pageContext } from '../../../test/support/page-context.js';
import { describe, expect, it } from '@jest/globals';
import type { AssetType } from '../../asset-types/asset-type.js';
import { AssetTypes } from '../../asset-types/asset-types.js';
import * as installed from '../../asset-types/installed.js';
import { readFields, withItemIds, printFields } from '../../asset-types/fields-json.js';
import { SERVICE_FIELDS } from '../../asset-types/service-fields.js';
import { itemIdsOf } from '../../feed/asset-identifiers.js';
import { printAsset } from '../../feed/reading/asset-view.js';
import { changeAsset } from '../asset-change.js';
import { escaped } from '#tlog';
import { AssetTable } from '../../listing/csv/asset-table.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import { AssetViewModel } from '../../pages/asset-view-model.js';
import { AssetPage } from '../../pages/asset.page.js';
import { AssetSummaries } from '../../pages/asset-summary.js';
import { changeEntry, shownOf } from '../../pages/changes-feed.js';
import { LANGUAGES } from '../../pages/language.js';
import { ShownTimes } from '../../pages/times.js';
import { SearchableAssets } from '../../search/searchable-assets.js';
import { EncodedText } from '../../platform/text/encoded-text.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { OpenedBody } from './opened-body.js';

const TYPES: AssetType[] = Object.values(installed);
const ID = 'f'.repeat(32);
const US = 1_795_000_000_000_000;
const time = new RegistryTime('Europe/Kyiv');
const times = new ShownTimes(time, 'Europe/Kyiv');
const types = new AssetTypes(TYPES);
const page = new AssetPage(times, { mapSearchUrl: 'https://maps.example/?q={address}' });
const table = new AssetTable(types, time);
const searchable = new SearchableAssets(types, time);

function exampleOf(type: AssetType): Asset {
  const { fields } = readFields(type.dto, type.example.data, SERVICE_FIELDS);
  const body = printFields(type.dto, withItemIds(type.dto, fields, itemIdsOf(ID)));
  const names = { id: ID, assetId: 'UA-2026-11-23-000001', assetType: type.name, status: 'pending', owner: 'broker' };
  const us = { createdUs: US, modifiedUs: US, feedUs: US };
  return { ...names, ...us, tokenDigest: '', relatedLot: null, body, version: 1 };
}

/** @returns pointers to all members, at any depth, with `*` for items */
function pointersIn(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => pointersIn(item, `${at}/*`)))];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const pointer = `${at}/${escaped(name)}`;
    return [pointer, ...pointersIn(member, pointer)];
  });
}

async function showEverywhere(asset: Asset): Promise<void> {
  const read = { ...asset, body: EncodedText.from(Buffer.from(asset.body)) };
  const shown = new AssetViewModel(read, types);
  for (const language of LANGUAGES) {
    const context = pageContext(language, '/assets/x');
    const texts = [
      page.show({ page: shown, json: '{}', history: [], changes: new Map() }, context),
      new AssetSummaries(times).show(shown, context).whole.text,
      changeEntry(shownOf({ page: shown, history: [], changes: new Map() }, times), context, times).text,
    ];
    for (const text of texts) expect(text).not.toMatch(/undefined|NaN|\[object/);
  }
  searchable.indexed(read);
  for (const lines of table.print([read])) expect(lines.toString()).not.toMatch(/undefined|NaN/);
}

describe.each(TYPES.map((type) => ({ name: type.name, type })))('an asset of the type $name', ({ type }) => {
  const asset = exampleOf(type);
  const pointers = pointersIn(JSON.parse(asset.body));

  it.each(pointers)('can be shown, indexed and changed without %s', async (pointer) => {
    const opened = new OpenedBody(asset.body, [pointer]);
    const redacted = opened.pointers.map((one) => ({ pointer: one, reason: 'чому', at: time.print(US) }));
    const erased = { ...asset, body: opened.print(redacted) };
    await showEverywhere(erased);
    const shown = JSON.parse(printAsset(erased, time)) as Record<string, unknown>;
    const patch = pointer === '/title' ? { description: 'інший' } : { title: 'інша назва' };
    const changed = changeAsset({ current: erased, shown, patch, actor: 'owner', type });
    expect(changed?.changed).toEqual(Object.keys(patch));
    expect(JSON.parse(changed?.body ?? '{}')).toMatchObject({ ...patch, redacted });
  });
});
