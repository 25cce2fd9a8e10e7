import { expect, it } from '@jest/globals';
import { Allow, IsEmail } from 'class-validator';
import { Items, Nested, Text } from './fields.js';
import { printFields, readFields, withItemIds } from './fields-json.js';
import { PlainDto } from './plain-dto.js';
import { Item } from './shared/parts.dto.js';

const LABELS = { uk: 'Поле', en: 'Field' };
const ID = 'a'.repeat(32);

@PlainDto()
class Leaf extends Item {
  @Text(LABELS)
  text!: string;
}

@PlainDto()
class Branch extends Item {
  @Items(() => Leaf, { ...LABELS, optional: true })
  leaves?: Leaf[];
}

@PlainDto()
class Plain {
  @Text(LABELS)
  text!: string;
}

@PlainDto()
class Tree {
  @Items(() => Branch, { ...LABELS, atLeast: 1 })
  branches!: Branch[];

  @Nested(() => Plain, LABELS)
  plain!: Plain;
}

/** With a team's rule of class-validator that accepts everything. */
class TreeByLibraries extends Tree {}
Allow()(TreeByLibraries.prototype, 'plain');

const data = { plain: { text: 'x' }, branches: [{ leaves: [{ text: 'y' }, { id: ID, text: 'z' }] }] };

it('items without an id get one at any depth; the others keep theirs', () => {
  let n = 0;
  const read = readFields(Tree, data);
  expect(read.faults).toEqual([]);
  const given = withItemIds(Tree, read.fields, () => `new${++n}`);
  expect(JSON.parse(printFields(Tree, given))).toEqual({
    branches: [
      {
        id: 'new2',
        leaves: [
          { id: 'new1', text: 'y' },
          { id: ID, text: 'z' },
        ],
      },
    ],
    plain: { text: 'x' },
  });
});

it.each([
  ['no list', { branches: {} }, ['branches']],
  [
    'faults deep within',
    { branches: [{}, { leaves: [{ text: 5 }, { x: 1 }] }] },
    ['branches.1.leaves.1.x', 'branches.1.leaves.0.text', 'branches.1.leaves.1.text'],
  ],
])('items may not be %s', (_, changes, names) => {
  for (const dto of [Tree, TreeByLibraries]) {
    expect(readFields(dto, { ...data, ...changes }).faults.map(({ name }) => name)).toEqual(names);
  }
});

const aThousand = (make: (i: number) => unknown): unknown[] => Array.from({ length: 1_000 }, (_, i) => make(i));
const branches = (make: (i: number) => unknown, count = 1_000): object => ({
  ...data,
  branches: Array.from({ length: count }, (_, i) => make(i)),
});

it('at most 20 faults are reported', () => {
  const read = readFields(Tree, branches((i) => ({ leaves: i < 500 ? [] : [{}] })) as typeof data);
  expect(read.faults).toHaveLength(20);
  expect(read.faults[0]).toEqual({ name: 'branches.500.leaves.0.text', description: 'This field is required' });
});

it.each<[string, object]>([
  ['90,000 empty ones', branches(() => ({}), 90_000)],
  ['1,000 with unknown fields', branches(() => ({ x: 1 }))],
  ['1,000,000 nested ones', branches(() => ({ leaves: aThousand(() => ({})) }))],
])('items are refused quickly, even %s', (_, hostile) => {
  const began = process.cpuUsage();
  expect(readFields(Tree, hostile as typeof data).faults.length).toBeGreaterThan(0);
  // A body has at most 30,000 members. class-validator alone takes minutes for the first case.
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(10_000);
});

class Letter extends Item {
  @Text(LABELS)
  @IsEmail()
  to!: string;
}

class Letters {
  @Items(() => Letter, LABELS)
  letters!: Letter[];
}

it("all items are checked by a team's rules", () => {
  const letters = Array.from({ length: 100 }, () => ({ to: 'a@b.ua' }));
  const { fields, faults } = readFields(Letters, { letters });
  expect([faults, JSON.parse(printFields(Letters, fields))]).toEqual([[], { letters }]);
  const last = readFields(Letters, { letters: [...letters, { to: 'x' }] });
  expect(last.faults.map(({ name }) => name)).toEqual(['letters.100.to']);
});
