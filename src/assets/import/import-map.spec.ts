import { describe, expect, it } from '@jest/globals';
import { ImportMap } from './import-map.js';

function mapped(map: object, asset: Record<string, unknown>): Record<string, unknown> {
  ImportMap.parse(JSON.stringify(map)).apply(asset);
  return asset;
}

describe('the map of an import', () => {
  it('renames a field, at any depth', () => {
    expect(mapped({ fields: { name: 'title', 'a.b': 'c.d' } }, { name: 'x', a: { b: 1 } })).toEqual({
      title: 'x',
      a: {},
      c: { d: 1 },
    });
  });

  it('omits a field, also in every member of a list', () => {
    const items = [{ id: 1, note: 2 }, { note: 3 }];
    expect(mapped({ fields: { mode: null, 'items.note': null } }, { mode: 'test', items })).toEqual({
      items: [{ id: 1 }, {}],
    });
  });

  it('renames a field inside every member of a list', () => {
    const items = [{ code: 1, unit: { kind: 'm' } }, { note: 2 }, { code: 3, unit: { kind: 'ha' } }];
    expect(mapped({ fields: { 'items.code': 'items.id', 'items.unit.kind': 'items.unit.code' } }, { items })).toEqual({
      items: [{ id: 1, unit: { code: 'm' } }, { note: 2 }, { id: 3, unit: { code: 'ha' } }],
    });
  });

  it('moves a field out of the first member that has it', () => {
    const items = [{}, { note: 'x' }, { note: 'y' }];
    expect(mapped({ fields: { 'items.note': 'description' } }, { items })).toEqual({
      description: 'x',
      items: [{}, {}, {}],
    });
  });

  it('moves a field of the asset into every member of a list', () => {
    const items = [{ id: 1 }, { id: 2 }];
    expect(mapped({ fields: { region: 'items.address.region' } }, { region: 'Київ', items })).toEqual({
      items: [
        { id: 1, address: { region: 'Київ' } },
        { id: 2, address: { region: 'Київ' } },
      ],
    });
  });

  it('refuses to replace a field by a renamed one, also in a member of a list', () => {
    const map = ImportMap.parse('{"fields":{"name":"title","items.name":"items.title","a":"a"}}');
    const both = { name: 1, title: 2 };
    const { faults } = map.apply({ a: 1, ...both, items: [{ name: 1 }, { title: 2 }, both, { ...both }] });
    expect(faults.map(({ name }) => name)).toEqual(['title', 'items.title']);
  });

  it('replaces values, and omits those that become null', () => {
    const map = { values: { status: { verification: 'pending' }, quantity: { 0: null } } };
    expect(mapped(map, { status: 'verification', quantity: 0 })).toEqual({ status: 'pending' });
    expect(mapped(map, { status: 'active', quantity: 1 })).toEqual({ status: 'active', quantity: 1 });
  });

  it('returns the paths that changed an asset', () => {
    const map = ImportMap.parse('{"fields":{"a":null,"b":null},"values":{"c":{"1":2},"d":{"1":2}}}');
    expect(map.apply({ a: 1, c: 1, d: 2 })).toEqual({ paths: ['c', 'a'], faults: [] });
  });

  it.each(['', '[]', '{"fields":{"a":1}}', '{"fields":{"a":""}}', '{"values":{"a":"b"}}', '{"rename":{}}'])(
    'refuses %j and describes a map',
    (text) => expect(() => ImportMap.parse(text)).toThrow(/^A map is a JSON object/),
  );
});
