import { describe, expect, it } from '@jest/globals';
import type { AssetType } from '../asset-types/asset-type.js';
import { AssetTypes } from '../asset-types/asset-types.js';
import { basic } from '../asset-types/basic/basic.asset-type.js';
import { Text } from '../asset-types/fields.js';
import type { ApiError } from '../platform/errors/api-error.js';
import { NewAssetPipe } from './new-asset.pipe.js';

const LABELS = { uk: 'Назва', en: 'Name' };
const { data: EXAMPLE } = basic.example;

class Judged {
  @Text(LABELS)
  title!: string;

  @Text({ ...LABELS, optional: true })
  verdict?: string;
}

const judged: AssetType<Judged> = {
  name: 'judged',
  aliases: ['tried'],
  labels: LABELS,
  dto: Judged,
  example: { data: { assetType: 'judged', title: 'x' } },
  lifecycle: {
    initial: 'new',
    states: {
      new: { labels: LABELS, editors: { owner: ['title'], concierge: ['verdict'] }, listed: true },
      over: { labels: LABELS, editors: {}, listed: true, final: true },
    },
    moves: [{ from: 'new', to: 'over', by: 'concierge' }],
  },
  check: ({ title }, status) =>
    title === 'bad' ? [{ name: 'title', description: `It may not be bad while it is ${status}` }] : [],
};
const pipe = new NewAssetPipe(new AssetTypes([basic, judged]));

/** @returns status and names of the faults, such as `403 id` */
function refusal(changes: Record<string, unknown>, base: Record<string, unknown> = EXAMPLE): string {
  try {
    pipe.transform({ data: { ...base, ...changes } });
    return 'none';
  } catch (error) {
    const { status, faults } = error as ApiError;
    return [status, ...faults.map(({ name }) => name)].join(' ');
  }
}

describe('the data of a POST', () => {
  it('of an unknown type has the faults that it would have in every type', () => {
    expect(refusal({ assetType: undefined, title: 5, x: 1 })).toBe('422 assetType x title');
    expect(refusal({ assetType: 'gone', status: 'gone' })).toBe('422 assetType status');
    expect(refusal({ assetType: 'gone' }, {})).toBe('422 assetType title');
  });

  it('is read by the rules of its type, also under an alias of the type', () => {
    const own = { assetType: 'tried', title: 'x', status: 'new' };
    expect(pipe.transform({ data: own })).toMatchObject({ type: judged, fields: { title: 'x' } });
    expect(refusal({ ...own, status: 'over' }, {})).toBe('403 status');
    for (const status of ['draft', '__proto__', 'toString', null])
      expect(refusal({ ...own, status }, {})).toBe('422 status');
    expect(refusal({ status: 'over' })).toBe('422 status');
  });

  it('may not have a field that only another actor writes', () => {
    expect(refusal({ assetType: 'judged', title: 'x', verdict: 'guilty' }, {})).toBe('403 verdict');
  });

  it('is validated as a whole once its fields are valid', () => {
    expect(refusal({ assetType: 'judged', title: 'bad' }, {})).toBe('422 title');
    expect(refusal({ assetType: 'judged', title: 'bad', status: 'x' }, {})).toBe('422 status title');
    expect(refusal({ assetType: 'judged', title: 'good' }, {})).toBe('none');
  });
});
