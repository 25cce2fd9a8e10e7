import { describe, expect, it } from '@jest/globals';
import { Transform } from 'class-transformer';
import type { AssetType } from '../asset-types/asset-type.js';
import { Quantity, Text, ValueField } from '../asset-types/fields.js';
import { printAsset } from '../feed/reading/asset-view.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { changeAsset } from './asset-change.js';

const LABELS = { uk: 'Щось', en: 'Something' };
const DAY = '2017-07-14T00:00:00.000Z';
const time = new RegistryTime('UTC');

class Dated {
  @Text(LABELS)
  title!: string;

  @ValueField(() => undefined, { ...LABELS, schema: {} })
  @Transform(({ value }: { value: string }) => new Date(value))
  day!: Date;
}

class Broken {
  @Text(LABELS)
  title!: string;

  @ValueField(() => undefined, { ...LABELS, schema: {} })
  @Transform(() => () => 1)
  day!: unknown;
}

class Counted {
  @Text(LABELS)
  title!: string;

  @Quantity(LABELS)
  quantity!: number;
}

const EDITABLE = { labels: LABELS, editors: { owner: 'own' as const }, listed: true };

/** @param quantity set by the effect of the move */
function typeOf<Fields extends object>(dto: new () => Fields, quantity?: number): AssetType {
  const effect = () => (quantity === undefined ? {} : { quantity });
  return {
    name: 'basic',
    labels: LABELS,
    dto,
    example: { data: { assetType: 'basic' } },
    lifecycle: {
      initial: 'open',
      states: { open: EDITABLE, shut: EDITABLE },
      moves: [{ from: 'open', to: 'shut', by: 'owner', effect }],
    },
  } as unknown as AssetType;
}

function changed(type: AssetType, body: string, patch: Record<string, unknown>): readonly string[] | undefined {
  const us = 1_500_000_000_000_000;
  const current = { id: 'f'.repeat(32), assetId: 'UA-2017-07-14-000001', assetType: 'basic', status: 'open', body };
  const asset = { ...current, owner: 'broker', relatedLot: null, createdUs: us, modifiedUs: us } as Asset;
  const shown = JSON.parse(printAsset(asset, time)) as Record<string, unknown>;
  return changeAsset({ current: asset, shown, patch, actor: 'owner', type })?.changed;
}

describe('a value made by a type’s code is compared as printed', () => {
  it('if a decorator transforms the sent value', () => {
    const body = `{"title":"a","day":"${DAY}"}`;
    expect(changed(typeOf(Dated), body, { title: 'b', day: '2017-07-14' })).toEqual(['title']);
    expect(changed(typeOf(Dated), body, { day: '2017-07-14' })).toBeUndefined();
  });

  it('if the effect of a move makes a number with more decimals than are stored', () => {
    const body = '{"title":"a","quantity":0.0000001}';
    expect(changed(typeOf(Counted, 1.000_01e-7), body, { status: 'shut' })).toEqual(['status']);
  });

  it('if the effect makes a number that is stored as 0', () => {
    const type = typeOf(Counted, 1e-10);
    expect(changed(type, '{"title":"a","quantity":0}', { status: 'shut' })).toEqual(['status']);
    expect(changed(type, '{"title":"a","quantity":1}', { status: 'shut' })).toEqual(['status', 'quantity']);
  });

  it('and is never stored if its text is not JSON', () => {
    expect(() => changed(typeOf(Broken), '{"title":"a","day":1}', { status: 'shut' })).toThrow(SyntaxError);
  });
});
