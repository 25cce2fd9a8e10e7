import { describe, expect, it } from '@jest/globals';
import type { AssetType } from './asset-type.js';
import { AssetTypes } from './asset-types.js';
import { Text } from './fields.js';
import { STANDARD_LIFECYCLE, type State } from './lifecycle.js';

class Sample {
  @Text()
  title!: string;
}

const sample: AssetType = { name: 'sample', dto: Sample, example: { data: {} } };

describe('the installed asset types', () => {
  const types = new AssetTypes([sample]);

  it('are found by their name', () => {
    expect(types.find('sample')).toBe(sample);
  });

  it.each([undefined, null, 5, 'Sample', '', '__proto__', 'constructor', 'toString', ['sample'], {}])(
    '%p is none of them',
    (name) => expect(types.find(name)).toBeUndefined(),
  );

  it('must have every type that is stored', () => {
    expect(() => types.get('gone')).toThrow('Asset type gone is stored but not installed');
  });
});

describe('a type whose states cannot work stops the start', () => {
  it.each([
    ['a beginning that is no state', { ...STANDARD_LIFECYCLE, initial: 'nowhere' }, /the state nowhere/],
    [
      'a move from a state that is not there',
      { ...STANDARD_LIFECYCLE, moves: [{ from: 'gone', to: 'draft', by: 'owner' as const }] },
      /the state gone/,
    ],
    [
      'a move to what every object has',
      { ...STANDARD_LIFECYCLE, moves: [{ from: 'draft', to: 'toString', by: 'owner' as const }] },
      /the state toString/,
    ],
    [
      'a state with a name that is no word',
      {
        ...STANDARD_LIFECYCLE,
        states: { ...STANDARD_LIFECYCLE.states, чернетка: STANDARD_LIFECYCLE.states['draft'] as State },
      },
      /the name of its state чернетка/,
    ],
  ])('%s', (_, lifecycle, sentence) => {
    expect(() => new AssetTypes([{ ...sample, lifecycle }])).toThrow(sentence);
  });
});
