import { describe, expect, it } from '@jest/globals';
import type { AssetType } from '../asset-types/asset-type.js';
import { basic } from '../asset-types/basic/basic.asset-type.js';
import { Items, Text } from '../asset-types/fields.js';
import { type Actor, lifecycleOf, type Move } from '../asset-types/lifecycle.js';
import { readFields, printFields } from '../asset-types/fields-json.js';
import { Item } from '../asset-types/shared/parts.dto.js';
import type { Asset } from '../database/entities/asset.entity.js';
import type { ApiError } from '../platform/errors/api-error.js';
import type { DecidedAsset } from '../feed/writing/operation.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { changeAsset, checkSize, MAX_ASSET_BYTES } from './asset-change.js';
import { printAsset } from '../feed/reading/asset-view.js';

const LABELS = { uk: 'Стан', en: 'State' };
const LOT = 'a'.repeat(32);
const ACTORS: Actor[] = ['owner', 'concierge', 'administrator'];
const time = new RegistryTime('Europe/Kyiv');
const { assetType: _, ...example } = basic.example.data;
const body = printFields(basic.dto, readFields(basic.dto, example).fields);

function assetIn(status: string, relatedLot: string | null = LOT): Asset {
  const us = 1_500_000_000_000_000;
  const known = {
    id: 'f'.repeat(32),
    assetId: 'UA-2017-07-14-000001',
    assetType: 'basic',
    owner: 'broker',
    tokenDigest: 'd',
  };
  return {
    ...known,
    status,
    relatedLot,
    body,
    version: 1,
    createdUs: us,
    modifiedUs: us,
    feedUs: status === 'draft' ? null : us,
  };
}

function patched(
  current: Asset,
  actor: Actor,
  patch: Record<string, unknown>,
  type: AssetType = basic,
): DecidedAsset | undefined {
  const shown = JSON.parse(printAsset(current, time)) as Record<string, unknown>;
  return changeAsset({ current, shown, patch, actor, type });
}

/** @returns status and names of the faults, such as `403 data` */
function refusal(current: Asset, actor: Actor, patch: Record<string, unknown>, type: AssetType = basic): string {
  try {
    patched(current, actor, patch, type);
    return 'none';
  } catch (error) {
    const { status, faults } = error as ApiError;
    return [status, ...faults.map(({ name }) => name)].join(' ');
  }
}

describe('edits', () => {
  it('are recognised by the printed values, not by the sent ones', () => {
    const zeroed = patched(assetIn('pending'), 'owner', { quantity: 0, value: { amount: 0 } });
    const current = { ...assetIn('pending'), ...zeroed };
    const sent = { quantity: -0, value: { amount: -0, valueAddedTaxIncluded: null } };
    expect(patched(current, 'owner', { ...sent, title: 'new' })?.changed).toEqual(['title']);
    for (const actor of ACTORS)
      expect(patched(current, actor, { quantity: -0, value: { amount: -0 } })).toBeUndefined();
  });

  it('validate the result as a whole, and report 403 before 422', () => {
    expect(refusal(assetIn('pending'), 'owner', { title: null, quantity: -1, x: 1, address: { y: null } })).toBe(
      '422 address.y x title quantity',
    );
    expect(refusal(assetIn('pending'), 'owner', { title: null, owner: 'me' })).toBe('403 owner');
    expect(refusal(assetIn('active'), 'owner', { title: null, owner: 'me' })).toBe('403 data');
  });
});

describe('an asset with erased fields', () => {
  const at = time.print(1);
  const entry = (pointer: string): object => ({ pointer, reason: 'чому', at });
  /** Lacks a telephone and a classification, which are required. */
  function erasedIn(status: string): Asset {
    const fields = JSON.parse(body) as {
      assetCustodian: { contactPoint: { telephone?: string } };
      classification?: object;
    };
    delete fields.assetCustodian.contactPoint.telephone;
    delete fields.classification;
    const redacted = [entry('/assetCustodian/contactPoint/telephone'), entry('/classification')];
    return { ...assetIn(status), body: JSON.stringify({ ...fields, redacted }) };
  }
  const redactedIn = (changed: DecidedAsset | undefined): unknown =>
    (JSON.parse(changed?.body ?? '{}') as { redacted: unknown }).redacted;

  it('moves and changes without them, and keeps its list of erasures', () => {
    for (const [actor, patch] of [
      ['concierge', { status: 'active' }],
      ['owner', { title: 'інша' }],
    ] as const) {
      const changed = patched(erasedIn('pending'), actor, patch);
      expect(redactedIn(changed)).toHaveLength(2);
      expect(changed?.body).toMatch(/,"redacted":\[.*\]\}$/);
    }
  });

  it('may get new values, which are validated', () => {
    const contactPoint = (telephone: unknown): Record<string, unknown> => ({
      assetCustodian: { contactPoint: { telephone } },
    });
    expect(redactedIn(patched(erasedIn('pending'), 'owner', contactPoint('1')))).toHaveLength(2);
    expect(refusal(erasedIn('pending'), 'owner', contactPoint(''))).toBe('422 assetCustodian.contactPoint.telephone');
  });

  it('may not lack other required fields', () => {
    const name = { assetCustodian: { contactPoint: { name: null } } };
    expect(refusal(erasedIn('pending'), 'owner', name)).toBe('422 assetCustodian.contactPoint.name');
    expect(refusal(assetIn('pending'), 'owner', { classification: null })).toBe('422 classification');
  });

  it('has a list of erasures that no actor may write', () => {
    for (const actor of ACTORS)
      for (const redacted of [null, [], 'x', [entry('/title')]])
        expect(refusal(erasedIn('pending'), actor, { redacted })).toBe('403 redacted');
    expect(refusal(assetIn('pending'), 'owner', { redacted: [entry('/title')] })).toBe('403 redacted');
    const { redacted } = JSON.parse(erasedIn('pending').body) as { redacted: unknown };
    expect(patched(erasedIn('pending'), 'owner', { redacted })).toBeUndefined();
  });
});

class Proof extends Item {
  @Text(LABELS)
  text!: string;
}

describe('a type with custom states, moves and rules', () => {
  class Judged {
    @Text(LABELS)
    title!: string;

    @Text({ ...LABELS, optional: true })
    verdict?: string;

    @Items(() => Proof, { ...LABELS, optional: true })
    proofs?: Proof[];
  }

  const own: AssetType<Judged> = {
    name: 'basic',
    labels: LABELS,
    dto: Judged,
    example: { data: { assetType: 'basic', title: 'x' } },
    lifecycle: {
      initial: 'new',
      states: {
        new: {
          labels: LABELS,
          editors: { owner: ['title', 'proofs'], concierge: ['verdict', 'relatedLot'] },
          listed: true,
        },
        sold: { labels: LABELS, editors: {}, listed: true, final: true },
      },
      moves: [
        {
          from: 'new',
          to: 'sold',
          by: 'concierge',
          effect: ({ verdict }) => ({ title: verdict === 'burnt' ? 'Ashes' : 'Sold', relatedLot: null }),
        },
      ],
    },
    check: ({ verdict }, status) =>
      status === 'sold' && verdict === undefined ? [{ name: 'verdict', description: 'Nothing was judged' }] : [],
  };
  const inNew = { ...assetIn('new'), body: '{"title":"x"}' };

  it('has only those states and moves', () => {
    expect(refusal(inNew, 'owner', { status: 'sold' }, own)).toBe('403 data');
    expect(refusal(inNew, 'concierge', { status: 'pending' }, own)).toBe('422 status');
    expect(refusal(assetIn('sold'), 'administrator', {}, own)).toBe('403 data');
  });

  it('limits the fields that each actor may write', () => {
    expect(refusal(inNew, 'owner', { verdict: 'y' }, own)).toBe('403 verdict');
    expect(refusal(inNew, 'owner', { relatedLot: LOT.replaceAll('a', 'b') }, own)).toBe('403 relatedLot');
    expect(refusal(inNew, 'concierge', { title: 'y' }, own)).toBe('403 title');
    expect(patched(inNew, 'owner', { title: 'y' }, own)?.body).toBe('{"title":"y"}');
    expect(patched(inNew, 'concierge', { verdict: 'y' }, own)?.body).toBe('{"title":"x","verdict":"y"}');
  });

  it('is validated as a whole, in the requested state', () => {
    expect(refusal(inNew, 'concierge', { status: 'sold' }, own)).toBe('422 verdict');
    expect(refusal(inNew, 'concierge', { relatedLot: null }, own)).toBe('none');
  });

  it('reports together what the new state needs and the faults of the whole', () => {
    const { new: first, sold } = lifecycleOf(own).states;
    const states = { new: first, sold: { ...sold, needsLot: true } };
    const moves = [{ from: 'new', to: 'sold', by: 'concierge' }];
    const needing = { ...own, lifecycle: { initial: 'new', states, moves } } as AssetType<Judged>;
    const unlinked = { ...inNew, relatedLot: null };
    expect(refusal(unlinked, 'concierge', { status: 'sold' }, needing)).toBe('422 relatedLot verdict');
  });

  it('is validated as a whole in its current state if the requested one does not exist', () => {
    const strict = { ...own, check: () => [{ name: 'verdict', description: 'Always' }] };
    expect(refusal(inNew, 'concierge', { status: 'pending', verdict: 'x' }, strict)).toBe('422 status verdict');
  });

  it('may change fields with a move that the actor may not write', () => {
    expect(patched(inNew, 'concierge', { status: 'sold', verdict: 'burnt' }, own)).toMatchObject({
      status: 'sold',
      listed: true,
      relatedLot: null,
      body: '{"title":"Ashes","verdict":"burnt"}',
      changed: ['status', 'verdict', 'title', 'relatedLot'],
    });
  });

  it('refuses an unknown field of an item by its name, in every form of patch, and null too', () => {
    const id = 'c'.repeat(32);
    const judged = { ...inNew, body: `{"title":"x","proofs":[{"id":"${id}","text":"a"}]}` };
    for (const proofs of [[{ id, x: null }], { [id]: { x: null } }, { [id]: { x: 1 } }])
      expect(refusal(judged, 'owner', { proofs }, own)).toBe('422 proofs.0.x');
    for (const proofs of [{ [id]: { id: null } }, { [id]: { id: 'd'.repeat(32) } }])
      expect(refusal(judged, 'owner', { proofs }, own)).toBe('422 proofs.0.id');
    const hostile = JSON.parse('{"__proto__":{"text":"b"}}') as object;
    expect(refusal(judged, 'owner', { proofs: hostile }, own)).toBe('422 proofs.1.id');
    expect(refusal(judged, 'owner', { proofs: [{ id }, { id }] }, own)).toBe('422 proofs proofs.1.text');
  });
});

describe('the effect of a move', () => {
  class Boxes {
    @Items(() => Proof, LABELS)
    boxes!: Proof[];

    @Text({ ...LABELS, optional: true })
    count?: string;
  }

  const shown: unknown[] = [];
  const withEffect = (effect: Move['effect']): AssetType<Boxes> => ({
    name: 'basic',
    labels: LABELS,
    dto: Boxes,
    example: { data: { assetType: 'basic', boxes: [] } },
    lifecycle: {
      initial: 'open',
      states: {
        open: { labels: LABELS, editors: { owner: 'own', concierge: ['relatedLot'] }, listed: true },
        shut: { labels: LABELS, editors: {}, listed: true, needsLot: true, final: true },
      },
      moves: [{ from: 'open', to: 'shut', by: 'owner', effect }],
    },
  });
  const counting = withEffect((asset) => {
    shown.push(asset);
    return { count: String((asset['boxes'] as unknown[]).length), relatedLot: LOT };
  });
  const open = { ...assetIn('open', null), body: '{"boxes":[]}' };

  it('gets the requested asset, and may set what the state needs', () => {
    expect(patched(open, 'owner', { status: 'shut', boxes: [{ text: 'a' }] }, counting)).toMatchObject({
      status: 'shut',
      relatedLot: LOT,
      body: expect.stringContaining('"count":"1"'),
      changed: ['status', 'boxes', 'count', 'relatedLot'],
    });
  });

  it('gets valid assets only', () => {
    shown.length = 0;
    expect(refusal(open, 'administrator', { status: 'shut', relatedLot: 5 }, counting)).toBe('422 relatedLot');
    for (const [boxes, names] of [
      [null, 'boxes'],
      ['x', 'boxes'],
      [[{}], 'boxes.0.text'],
      [[{ text: 'a', x: null }], 'boxes.0.x'],
    ])
      expect(refusal(open, 'owner', { status: 'shut', boxes }, counting)).toBe(`422 ${names as string}`);
    expect(shown).toEqual([]);
  });

  it.each(['status', 'colour'])('throws if it changes %s', (name) => {
    const sentence = `Asset type basic: the effect of its move from open to shut changes ${name}`;
    expect(() =>
      patched(
        open,
        'owner',
        { status: 'shut' },
        withEffect(() => ({ [name]: 'x' })),
      ),
    ).toThrow(sentence);
  });

  it('is validated', () => {
    const bad = withEffect(() => ({ count: 5, relatedLot: 'x' }));
    expect(refusal(open, 'owner', { status: 'shut' }, bad)).toBe('422 relatedLot count');
    expect(
      refusal(
        open,
        'owner',
        { status: 'shut' },
        withEffect(() => ({})),
      ),
    ).toBe('422 relatedLot');
  });
});

it.each([['😀', 4]])('an asset has at most 1 MiB of %s', (text, bytes) => {
  const largest = text.repeat(Math.floor(MAX_ASSET_BYTES / bytes));
  expect(checkSize(largest)).toBe(largest);
  expect(() => checkSize(`${largest}${text}`)).toThrow('422 body data: The fields of an asset take at most 1 MiB');
});
