import type { Mutant } from './mutant.js';

const CHANGE = 'src/assets/asset-change.ts';
const LIFECYCLE_FAULTS = 'src/asset-types/lifecycle-faults.ts';
const e2e = ['compound', 'claim-rights', 'installed-types'];

/** Defects of the asset types: their items, states, moves and rules, and what is checked at start. */
export const TYPE_MUTANTS: readonly Mutant[] = [
  {
    name: 'an item is not merged by its id',
    breaks: 'A PATCH that names an item adds a second one, or is refused.',
    patches: [{ file: CHANGE, from: '} else if (place !== undefined && isObject(change)) {', to: '} else if (place === -1 && isObject(change)) {' }], // prettier-ignore
    e2e,
  },
  {
    name: 'a list replaces the items',
    breaks: 'Two clients that add an item each undo each other.',
    patches: [{ file: CHANGE, from: 'const merged: unknown[] = [...items];', to: 'const merged: unknown[] = Array.isArray(patch) ? [] : [...items];' }], // prettier-ignore
    e2e,
  },
  {
    name: 'null hides an unknown field',
    breaks: 'A field that nobody knows is taken without a word.',
    patches: [
      {
        file: CHANGE,
        from: 'if (value === null && isKnown(key)) delete',
        to: 'if (value === null || (isKnown(key) && value === null)) delete',
      },
    ],
    e2e,
  },
  {
    name: 'an item gets another id',
    breaks: 'The next PATCH of an item, by the id that everybody knows, adds another one.',
    patches: [
      { file: CHANGE, from: '{ id, ...item, ...refusedId(id, item) }', to: '{ id, ...refusedId(id, item), ...item }' },
    ],
    e2e,
  },
  {
    name: 'the ids of items are made anew for a repeated POST',
    breaks: 'Two clients that repeat a POST have two ids for an item.',
    patches: [{ file: 'src/assets/assets.service.ts', from: 'itemIdsOf(id)', to: 'itemIdsOf(newId())' }],
    e2e,
  },
  {
    name: 'a move has no effect',
    breaks: 'A claim that did not stand stays with its lot.',
    patches: [
      {
        file: CHANGE,
        from: 'if (move.effect === undefined) return {};',
        to: "if (move.effect === undefined || move.from !== '') return {};",
      },
    ],
    e2e,
  },
  {
    name: 'an effect sees what is not sound',
    breaks: 'A request that should be refused is answered as a defect.',
    patches: [
      {
        file: CHANGE,
        from: 'if (faults.length > 0) throw fieldsInvalid(faults);',
        to: 'if (faults.length > 1_000) throw fieldsInvalid(faults);',
      },
    ],
    e2e,
  },
  {
    name: 'every actor writes every field',
    breaks: 'The concierge changes what the broker has said.',
    patches: [{ file: CHANGE, from: 'known(name) && !writable(name)', to: 'known(name) && SERVICE_FIELDS.has(name) && !writable(name)' }], // prettier-ignore
    e2e,
  },
  {
    name: 'an asset is not checked as a whole when it is changed',
    breaks: 'The name of a natural person is published by a PATCH of another field.',
    patches: [
      {
        file: CHANGE,
        from: 'type.check?.(fields, status) ?? []',
        to: '(type.check?.(fields, status) ?? []).slice(99)',
      },
    ],
    e2e,
  },
  {
    name: 'a POST may have the states of every type',
    breaks: 'A status that the type does not have is said to be another actor’s.',
    patches: [
      {
        file: 'src/assets/new-asset.pipe.ts',
        from: "const isState = typeof status === 'string' && Object.hasOwn(lifecycle.states, status);",
        to: "const isState = typeof status === 'string';",
      },
    ],
    e2e,
  },
  {
    name: 'an asset grows without end',
    breaks: 'A broker makes an asset that no statement of the database and no page can hold.',
    patches: [
      { file: CHANGE, from: 'const own = checkSize(', to: "const own = (current.body === '' ? checkSize : String)(" },
    ],
    e2e,
  },
  {
    name: 'every item of a hostile list is looked at',
    breaks: 'A body holds as many items as fit, and each is looked at.',
    patches: [{ file: 'src/asset-types/fields-json.ts', from: 'value.length > MOST_ITEMS', to: 'value.length > Infinity' }], // prettier-ignore
    e2e,
  },
  {
    name: 'a move may hide what was listed',
    breaks: 'Synchronisers keep an asset for ever that the registry shows no more.',
    patches: [
      { file: LIFECYCLE_FAULTS, from: 'if (states[from]?.listed && !states[to]?.listed)', to: 'if (from === to)' },
    ],
    e2e,
  },
  {
    name: 'a state that nothing leads to is installed',
    breaks: 'A team finds out in production that its state cannot be reached.',
    patches: [{ file: LIFECYCLE_FAULTS, from: 'lost === undefined ? undefined', to: 'lost !== initial ? undefined' }],
    e2e,
  },
];
