import { describe, expect, it } from '@jest/globals';
import { Transform } from 'class-transformer';
import type { AssetType } from './asset-type.js';
import { AssetTypes } from './asset-types.js';
import { Choice, Items, Nested, Text } from './fields.js';
import { type Lifecycle, type Move, STANDARD_LIFECYCLE, type State } from './lifecycle.js';
import { PlainDto } from './plain-dto.js';
import type { Item } from './shared/parts.dto.js';

const LABELS = { uk: 'Поле', en: 'Field' };

class Sample {
  @Text(LABELS)
  title!: string;
}

const sample: AssetType = {
  name: 'sample',
  aliases: ['probe'],
  labels: LABELS,
  dto: Sample,
  example: { data: { assetType: 'sample', title: 'x' } },
};

describe('the installed asset types', () => {
  const types = new AssetTypes([sample]);

  it('are found by name and by aliases', () => {
    expect(types.find('sample')).toBe(sample);
    expect(types.find('probe')).toBe(sample);
    expect(types.get('probe')).toBe(sample);
  });

  it.each([undefined, 'Sample', '__proto__', ['sample']])('do not include %p', (name) =>
    expect(types.find(name)).toBeUndefined(),
  );

  it('must include the type of every stored asset', () => {
    expect(() => types.get('gone')).toThrow('Asset type gone is stored but not installed');
  });

  it.each([[undefined], ['basic']])('may not include %p', (type) => {
    expect(() => new AssetTypes([type as never])).toThrow(`${String(type)} is installed, but is not an asset type`);
  });

  it('have unique names and aliases', () => {
    const sentence = 'Two installed asset types, or aliases, have the name probe';
    const other = { ...sample, name: 'probe', aliases: [], example: { data: { assetType: 'probe', title: 'x' } } };
    expect(() => new AssetTypes([sample, other])).toThrow(sentence);
  });
});

class Empty {}

class Bold {
  @Text(LABELS)
  owner!: string;
}

@PlainDto()
class Promising {
  @Text(LABELS)
  @Transform(({ value }) => `${String(value)}!`)
  title!: string;
}

class Cyrillic {
  @Text(LABELS)
  назва!: string;
}

class Silent {
  @Text({ uk: 'Назва', en: ' ' })
  title!: string;
}

class Deep {
  @Nested(() => Silent, LABELS)
  inner!: Silent;
}

class Hollow {
  @Nested(() => Empty, LABELS)
  inner!: Empty;
}

class Chosen {
  @Choice({ a: LABELS, b: {} as typeof LABELS }, LABELS)
  kind!: string;
}

class OwnId {
  @Text(LABELS)
  id!: string;
}

class OtherIds {
  @Items(() => OwnId, LABELS)
  items!: OwnId[];
}

class Circular {
  @Items(() => undefined as never, LABELS)
  items!: Item[];
}

class Loose {
  @Text({ ...LABELS, optional: true })
  title?: string;
}

const fault = (type: Partial<AssetType>): string => {
  try {
    new AssetTypes([{ ...sample, ...type }]);
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a faulty type stops the start with a sentence that names the fault', () => {
  it.each<[string, Partial<AssetType>]>([
    ['its name a b is not a letter, then up to 63 letters and digits', { name: 'a b' }],
    ['its aliases are not a list', { aliases: 'probe' as never }],
    ['its check is not a function', { check: [] as never }],
    ['its check does not return a list of faults synchronously', { check: () => Promise.resolve([]) as never }],
    [
      'its check fails on its example: Error: What is this?',
      {
        check: () => {
          throw new Error('What is this?');
        },
      },
    ],
    ['the choice b of its field kind has no label in both languages', { dto: Chosen }],
    [
      'the DTO of the list items does not extend Item, so a PATCH could not identify its members',
      { dto: OtherIds, example: { data: { assetType: 'sample', items: [] } } },
    ],
    ['the DTO of its field items describes no field', { dto: Circular }],
    ['it has no label in Ukrainian (uk) and English (en)', { labels: { uk: '', en: 'x' } }],
    ['its DTO describes no field', { dto: undefined }],
    ['its DTO describes owner, which the registry sets', { dto: Bold }],
    ['the name of its field назва is not a letter, then up to 31 letters and digits', { dto: Cyrillic }],
    ['its field inner.title has no label in Ukrainian (uk) and English (en)', { dto: Deep }],
    ['the DTO of its field inner describes no field', { dto: Hollow }],
    ['the data.assetType of its example is other', { example: { data: { assetType: 'other', title: 'x' } } }],
    [
      'its example has moves to the state sold, which the type does not have',
      { example: { data: { assetType: 'sample', title: 'x' }, moves: { sold: {} } } },
    ],
    [
      'its example is refused: titel: Rogue field: did you mean title?; title: This field is required',
      { example: { data: { assetType: 'sample', titel: 'x' } } },
    ],
    ['its DTO is a PlainDto, but class-transformer changes its example', { dto: Promising }],
    ['its example is refused: title: It is bad', { check: () => [{ name: 'title', description: 'It is bad' }] }],
  ])('%s', (sentence, type) => {
    expect(fault(type)).toBe(`Asset type ${type.name ?? 'sample'} cannot be installed: ${sentence}`);
  });
});

const { states, moves } = STANDARD_LIFECYCLE;
const { draft } = states;
const withState = (name: string, state: Partial<State>): Partial<Lifecycle> => ({
  states: { ...states, [name]: { ...draft, ...states[name], ...state } },
});
const withMove = (move: Move): Partial<Lifecycle> => ({ moves: [...moves, move] });

describe('a type with faulty states or moves stops the start', () => {
  it.each<[string, Partial<Lifecycle>]>([
    ['assets are created in the state nowhere, which it does not have', { initial: 'nowhere' }],
    [
      'its move from gone to draft names the state gone, which it does not have',
      withMove({ from: 'gone', to: 'draft', by: 'owner' }),
    ],
    ['its state draft has no label in Ukrainian (uk) and English (en)', withState('draft', { labels: undefined })],
    ['its state draft does not say whether it is listed', withState('draft', { listed: undefined })],
    ['its state draft does not say who its editors are', withState('draft', { editors: undefined })],
    [
      "its state draft does not say what the owner may write: 'own', or a list of fields",
      withState('draft', { editors: { owner: 'all' as never } }),
    ],
    [
      'the effect of its move from draft to deleted is not a function',
      withMove({ from: 'draft', to: 'deleted', by: 'owner', effect: {} as never }),
    ],
    ['no move leads out of its state lost: mark it as final', withState('lost', {})],
    ['no moves lead to its state lost', withState('lost', { editors: {}, final: true })],
    ['its state pending is final, but a move leads out of it', withState('pending', { final: true })],
    ['its state deleted is final, but has editors', withState('deleted', { editors: { owner: 'own' } })],
    [
      'its state draft lets the concierge write price, which is not a field of the type',
      withState('draft', { editors: { owner: 'own', concierge: ['relatedLot', 'price'] } }),
    ],
    [
      'its state draft names the editor broker: owner and concierge may be named',
      withState('draft', { editors: { owner: 'own', broker: 'own' } as State['editors'] }),
    ],
    ['its move from draft to draft leads to the same state', withMove({ from: 'draft', to: 'draft', by: 'owner' })],
    ['its move from draft to pending is defined twice', withMove({ from: 'draft', to: 'pending', by: 'owner' })],
    [
      'its move from draft to deleted is for the concierge, who may do nothing in draft',
      withMove({ from: 'draft', to: 'deleted', by: 'concierge' }),
    ],
    [
      'its move from pending to draft takes an asset out of the listing, which synchronisers would not notice',
      withMove({ from: 'pending', to: 'draft', by: 'owner' }),
    ],
    [
      'its field title is required, but the owner may not write it in the state draft, in which assets are created',
      withState('draft', { editors: { owner: [] } }),
    ],
  ])('%s', (sentence, lifecycle) => {
    expect(fault({ lifecycle: { ...STANDARD_LIFECYCLE, ...lifecycle } })).toBe(
      `Asset type sample cannot be installed: ${sentence}`,
    );
  });

  it('so does an example that no broker could send', () => {
    const lifecycle = { ...STANDARD_LIFECYCLE, ...withState('draft', { editors: { owner: [] } }) };
    expect(fault({ dto: Loose, lifecycle })).toBe(
      'Asset type sample cannot be installed: its example sets title, which the owner may not write in the state draft',
    );
  });
});
