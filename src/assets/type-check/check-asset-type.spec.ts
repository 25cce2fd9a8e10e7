import { expect, it } from '@jest/globals';
import { Transform } from 'class-transformer';
import { IsOptional, ValidateBy, type ValidationArguments } from 'class-validator';
import type { AssetType } from '../../asset-types/asset-type.js';
import { Flag, Items, Text, ValueField } from '../../asset-types/fields.js';
import { STANDARD_LIFECYCLE } from '../../asset-types/lifecycle.js';
import { Item } from '../../asset-types/shared/parts.dto.js';
import { checkAssetType } from './check-asset-type.js';

const LABELS = { uk: 'Поле', en: 'Field' };
const CODE = { ...LABELS, schema: { type: 'string' } };

class Sample {
  @Text(LABELS)
  title!: string;
}

const sample: AssetType = {
  name: 'sample',
  labels: LABELS,
  dto: Sample,
  example: { data: { assetType: 'sample', title: 'x' } },
};

class Extra extends Item {
  @ValueField(() => undefined, CODE)
  code!: string;
}

class AnyKind {
  @Items(() => Extra, LABELS)
  extras!: Extra[];
}

class Failing {
  @ValueField((value) => ((value as string).startsWith('x') ? undefined : 'An x is required'), CODE)
  title!: string;
}

class Lenient {
  @Text(LABELS)
  @IsOptional()
  title!: string;
}

/** A team's rule that reads another field. */
function MatchesTitle(): PropertyDecorator {
  const validate = (value: unknown, args?: ValidationArguments): boolean =>
    value === (args?.object as Pair | undefined)?.title;
  return ValidateBy({ name: 'matchesTitle', validator: { validate } });
}

class Marked {
  @Text(LABELS)
  @Transform(({ value }) => `${String(value)}!`)
  title!: string;
}

class Pair {
  @Text(LABELS)
  title!: string;

  @Text(LABELS)
  @MatchesTitle()
  again!: string;
}

class Flagged extends Sample {
  @Flag(LABELS)
  isNew = true;
}

/** The standard lifecycle with an effect of the first move, which publishes an asset. */
function publishing(effect: (asset: Record<string, unknown>) => Record<string, unknown>): Partial<AssetType> {
  const [publish, ...others] = STANDARD_LIFECYCLE.moves;
  return { lifecycle: { ...STANDARD_LIFECYCLE, moves: [{ ...publish!, effect }, ...others] } };
}

let count = 0;
const extras = { data: { assetType: 'sample', extras: [{ code: 'y' }] } };

it('a valid type has no faults', () => {
  expect(checkAssetType(sample)).toBeUndefined();
  const example = { data: { assetType: 'sample', title: 'x', again: 'x' } };
  expect(checkAssetType({ ...sample, dto: Pair, example })).toBeUndefined();
});

it('one error lists every fault', () => {
  const type = { ...sample, labels: { uk: 'Проба', en: '' }, check: [] as never, dto: class Empty {} };
  expect(() => checkAssetType(type)).toThrow(
    /^Asset type sample breaks the contract:\n- it has no label .*\n- its check is not a function\n- its DTO describes no field$/,
  );
  expect(() => checkAssetType({ ...sample, dto: AnyKind, example: extras })).toThrow(
    /\n- its example with 5 extras\.0\.code is not refused\n- its example with true extras/,
  );
});

it.each<[string, Partial<AssetType>]>([
  ['its example with 5 extras.0.code is not refused', { dto: AnyKind, example: extras }],
  ['its example with 5 title cannot be read: TypeError: value.startsWith is not a function', { dto: Failing }],
  ['its example with no title is not refused', { dto: Lenient }],
  ['its example is not answered as it is written (give each Flag its value), but as {"title":"x!"}', { dto: Marked }],
  ['its example is printed otherwise when it is read again, as {"title":"x!!"}', { dto: Marked }],
  [
    'its example is not answered as it is written (give each Flag its value), but as {"title":"x","isNew":true}',
    { dto: Flagged },
  ],
  [
    "the owner's move from draft to pending is refused (422 title). Add fields that it needs in addition to status",
    { check: (_, status) => (status === 'draft' ? [] : [{ name: 'title', description: 'It is bad' }]) },
  ],
  [
    "the owner's move from draft to pending is refused (Error: Asset type sample: the effect of its move from draft to pending changes owner)",
    publishing(() => ({ owner: 'me' })),
  ],
  ['its move from draft to pending has another outcome the second time', publishing(() => ({ title: `x${++count}` }))],
  [
    'the effect of its move from draft to pending, or its check, changes what it is given',
    {
      dto: AnyKind,
      example: extras,
      ...publishing((asset) => {
        (asset['extras'] as Extra[])[0]!.code += '!';
        return {};
      }),
    },
  ],
])('%s', (sentence, members) => {
  expect(() => checkAssetType({ ...sample, ...members })).toThrow(`\n- ${sentence}`);
});
