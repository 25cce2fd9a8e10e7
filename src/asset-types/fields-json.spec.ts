import { describe, expect, it } from '@jest/globals';
import { Length } from 'class-validator';
import { Flag, Nested, Text } from './fields.js';
import { readFields, printFields } from './fields-json.js';
import { SERVICE_FIELDS } from './service-fields.js';

const LABELS = { uk: 'Поле', en: 'Field' };

class Leaf {
  @Text(LABELS)
  name!: string;
}

class Branch {
  @Nested(() => Leaf, LABELS)
  leaf!: Leaf;
}

class Tree {
  @Text({ ...LABELS, optional: true })
  title?: string;

  @Nested(() => Branch, LABELS)
  branch!: Branch;
}

type JsonObject = Record<string, unknown>;
const faultsOf = (json: string): string[] =>
  readFields(Tree, JSON.parse(json) as JsonObject).faults.map(({ name }) => name);
const HOSTILE = ['__proto__', 'constructor', 'then', 'length'];

describe('an unknown field', () => {
  it.each(HOSTILE)('%s in an object instead of a single value is not read', (key) => {
    for (const value of [`{${JSON.stringify(key)}:{"prototype":{}}}`, `[[{${JSON.stringify(key)}:1}]]`])
      expect(faultsOf(`{"title":${value},"branch":{"leaf":{"name":"x"}}}`)).toEqual(['title']);
  });

  it('cannot provide a known one through a prototype', () => {
    expect(faultsOf('{"branch":{"__proto__":{"leaf":{"name":"x"}}}}')).toEqual(['branch.__proto__', 'branch.leaf']);
  });

  it('may be a misspelt service field, if requests may set that', () => {
    const descriptionOf = (key: string): unknown =>
      readFields(Tree, { [key]: 1 }, SERVICE_FIELDS).faults[0]?.description;
    expect(descriptionOf('statuss')).toBe('Rogue field: did you mean status?');
    expect(descriptionOf('data')).toBe('Rogue field');
  });
});

describe('an additional rule of class-validator', () => {
  class Above {
    @Length(3, 5)
    @Text(LABELS)
    code!: string;
  }
  class Below {
    @Text(LABELS)
    @Length(3, 5)
    code!: string;
  }

  it.each([Above, Below])('is reported after that of the kind, in either order of decorators: %p', (dto) => {
    expect(readFields(dto, {}).faults).toEqual([{ name: 'code', description: 'This field is required' }]);
    expect(readFields(dto, { code: 'x' }).faults).toMatchObject([{ description: expect.stringContaining('longer') }]);
  });
});

describe('printing the fields of a type', () => {
  class Inner {
    @Text({ ...LABELS, optional: true })
    b?: string;

    @Text({ ...LABELS, optional: true })
    a?: string;
  }

  class Parent {
    @Text({ ...LABELS, optional: true })
    first?: string;
  }

  class Child extends Parent {
    @Nested(() => Inner, { ...LABELS, optional: true })
    inner?: Inner;

    @Flag(LABELS)
    flag = true;
  }

  const print = (data: Record<string, unknown>): string => printFields(Child, readFields(Child, data).fields);

  it('uses the declared order, those of a parent class first', () => {
    const text = '{"first":"1","inner":{"b":"2","a":"3"},"flag":false}';
    expect(print({ flag: false, inner: { a: '3', b: '2' }, first: '1' })).toBe(text);
  });
});
