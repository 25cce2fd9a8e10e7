import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { commitmentOf, erasedOpening } from 'asset-registry-tlog';
import {
  bundlePath,
  entriesOf,
  faultOf,
  hashesOf,
  instantUs,
  isBound,
  isConsistent,
  isIncluded,
  leafHash,
  LogError,
  nodeHash,
  readCheckpoint,
  readEntry,
  readVerifierKey,
  rootOf,
  type Opening,
  TILE_WIDTH,
  tilePath,
  verifyCheckpoint,
  verifyState,
} from '../../clients/typescript/src/index.js';
import { fakeAsset, FakeLog, fakeOrigin, FakeSigner, type FakeState } from '../support/fake-log.js';
import { CT_ENTRIES, CT_ROOTS } from '../support/rfc6962-vectors.js';

interface Vectors {
  keys: [string, string];
  checkpoint: string;
  roots: string[];
  inclusion: { Size: number; Place: number; Proof: string[] }[];
  consistency: { Older: number; Newer: number; Proof: string[] }[];
  paths: Record<string, string>;
}

const GO = JSON.parse(readFileSync('test/support/log-vectors/go-tlog.json', 'utf8')) as Vectors;
const GO_SIZES = [1, 2, 3, 7, 8, 255, 256, 257, 300];
const GO_LEAVES = Array.from({ length: 300 }, (_, i) => leafHash(`entry ${i}`));
const base64 = (texts: readonly string[]): Buffer[] => texts.map((text) => Buffer.from(text, 'base64'));
const hex = (texts: readonly string[]): Buffer[] => texts.map((text) => Buffer.from(text, 'hex'));
const treeOf = (leaves: readonly Buffer[], size: number) => ({ size, root: rootOf(leaves.slice(0, size)) });

const CT_LEAVES = hex(CT_ENTRIES).map(leafHash);

describe('trees', () => {
  it('have the roots of certificate-transparency', () => {
    expect(CT_ROOTS.map((_, i) => rootOf(CT_LEAVES.slice(0, i + 1)).toString('hex'))).toEqual(CT_ROOTS);
    expect(rootOf([]).toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });

  it('have the roots and proofs of Go', () => {
    expect(GO_SIZES.map((size) => treeOf(GO_LEAVES, size).root.toString('base64'))).toEqual(GO.roots);
    expect([GO.inclusion.length, GO.consistency.length]).toEqual([11, 9]);
    for (const { Size: size, Place: place, Proof: proof } of GO.inclusion)
      expect([size, place, isIncluded(GO_LEAVES[place] as Buffer, place, treeOf(GO_LEAVES, size), base64(proof))]).toEqual([size, place, true]); // prettier-ignore
    for (const { Older: older, Newer: newer, Proof: proof } of GO.consistency)
      expect([older, newer, isConsistent(treeOf(GO_LEAVES, older), treeOf(GO_LEAVES, newer), base64(proof))]).toEqual([older, newer, true]); // prettier-ignore
  });

  it('do not accept a subtree’s root for the whole tree’s', () => {
    const [first, second] = GO_LEAVES as [Buffer, Buffer];
    expect(isIncluded(first, 0, { size: 2, root: nodeHash(first, second) }, [second])).toBe(true);
    expect(isIncluded(first, 0, { size: 8, root: nodeHash(first, second) }, [second])).toBe(false);
  });

  it('reject a proof that is changed, cut, longer, or of another place or size', () => {
    for (const { Size: size, Place: place, Proof } of GO.inclusion) {
      const [proof, tree, leaf] = [base64(Proof), treeOf(GO_LEAVES, size), GO_LEAVES[place] as Buffer];
      const others = [...proof.map((_, i) => proof.toSpliced(i, 1, leaf)), [...proof, leaf], proof.slice(0, -1)];
      for (const other of others.filter((one) => one.length !== proof.length || one.some((sum, i) => sum !== proof[i])))
        expect(isIncluded(leaf, place, tree, other)).toBe(false);
      if (size > 1) expect(isIncluded(leaf, (place + 1) % size, tree, proof)).toBe(false);
      expect(isIncluded(leaf, size, tree, proof)).toBe(false);
      expect(isIncluded(leaf, -1, tree, proof)).toBe(false);
    }
    for (const { Older: older, Newer: newer, Proof } of GO.consistency) {
      const [proof, was, is] = [base64(Proof), treeOf(GO_LEAVES, older), treeOf(GO_LEAVES, newer)];
      const other = { root: rootOf([]) };
      expect(isConsistent({ ...was, root: other.root }, is, proof)).toBe(false);
      expect(isConsistent(was, { ...is, root: other.root }, proof)).toBe(false);
      expect(isConsistent(was, is, proof.slice(0, -1))).toBe(false);
      expect(isConsistent(was, is, [...proof, was.root])).toBe(false);
      expect(isConsistent(is, was, proof)).toBe(false);
    }
  });
});

describe('tiles', () => {
  it('have the paths of Go', () => {
    for (const [key, path] of Object.entries(GO.paths)) {
      const [level = 0, number = 0, width = 0] = key.split(' ').map(Number);
      // Go's paths begin with the height.
      expect(tilePath({ level, number, width })).toBe(path.replace('tile/8/', 'tile/'));
    }
    expect(bundlePath({ level: 0, number: 1_234_067, width: 5 })).toBe('tile/entries/x001/x234/067.p/5');
  });

  it('are parsed, and refused if they are cut', () => {
    const bundle = Buffer.from([0, 1, 65, 0, 0, 0, 2, 66, 67]);
    expect(entriesOf(bundle, { width: 3 }).map(String)).toEqual(['A', '', 'BC']);
    expect(() => entriesOf(bundle, { width: 2 })).toThrow(LogError);
    expect(() => entriesOf(bundle.subarray(0, 8), { width: 3 })).toThrow(LogError);
    expect(hashesOf(Buffer.alloc(64), { width: 2 })).toHaveLength(2);
    expect(() => hashesOf(Buffer.alloc(63), { width: 2 })).toThrow(LogError);
    expect(nodeHash(Buffer.alloc(32), Buffer.alloc(32))).toHaveLength(32);
    expect(TILE_WIDTH).toBe(256);
  });
});

describe('checkpoints', () => {
  const keys = GO.keys.map(readVerifierKey);
  const [first, second] = keys as [(typeof keys)[0], (typeof keys)[0]];

  it('of Go are verified', () => {
    const checkpoint = verifyCheckpoint(GO.checkpoint, keys);
    expect(checkpoint).toMatchObject({ origin: 'registry.example/epoch', size: 300, signedBy: keys, cosignedBy: [] });
    expect(checkpoint.root.toString('base64')).toBe(GO.roots.at(-1));
    expect(verifyCheckpoint(GO.checkpoint, [second]).signedBy).toEqual([second]);
    expect(readCheckpoint(GO.checkpoint)).toMatchObject({ size: 300 });
  });

  it('are refused without a signature by a known key, or if a known key’s signature is invalid', () => {
    const other = readVerifierKey(new FakeSigner('registry.example').vkey);
    expect(() => verifyCheckpoint(GO.checkpoint, [other])).toThrow(/is not signed by registry\.example\+/);
    expect(() => verifyCheckpoint(GO.checkpoint, [])).toThrow(LogError);
    expect(() => verifyCheckpoint(GO.checkpoint.replace('\n300\n', '\n301\n'), [first])).toThrow(/is invalid/);
    const lines = GO.checkpoint.split('\n');
    const [, , , , one = '', two = ''] = lines;
    const spoiled = [...one].map((sign, i) => (i === one.length - 10 ? (sign === 'A' ? 'B' : 'A') : sign)).join('');
    const note = GO.checkpoint.replace(one, spoiled);
    expect(two).not.toBe('');
    expect(() => verifyCheckpoint(note, keys)).toThrow(/is invalid/);
    // The key that is not known is ignored.
    expect(verifyCheckpoint(note, [second]).signedBy).toEqual([second]);
  });

  it('have cosignatures of witnesses', () => {
    const [witness, other] = [new FakeSigner('witness.example', 4), new FakeSigner('other.example', 4)];
    const log = new FakeLog(undefined, undefined, [witness]).publish();
    const known = [readVerifierKey(log.identity.publicKey)];
    const [one, two] = [readVerifierKey(witness.vkey), readVerifierKey(other.vkey)];
    const { cosignedBy } = verifyCheckpoint(log.note, known, [one, two]);
    expect(cosignedBy).toEqual([{ witness: one, at: new Date(1_700_000_000_000) }]);
    expect(() => verifyCheckpoint(log.note, [one])).toThrow(/not of a log/);
    expect(() => verifyCheckpoint(log.note, known, known)).toThrow(/not of a witness/);
    const text = log.note.slice(0, log.note.indexOf('\n\n') + 1);
    const late = log.note.replace(witness.line(text), witness.line(text.replace('\n0\n', '\n1\n')));
    expect(() => verifyCheckpoint(late, known, [one])).toThrow(/witness\.example\+.* is invalid/);
  });

  it('that are malformed are refused', () => {
    const { note } = new FakeLog().publish();
    const spoiled = [
      '',
      'text\n',
      note.trimEnd(),
      note.replace('\n0\n', '\n00\n'),
      note.replace('\n0\n', '\n-1\n'),
      note.replace('\n0\n', '\n99999999999999999\n'),
      note.replace(`${fakeOrigin(1)}\n`, '\n'),
      note.replace('— ', '- '),
      note.replace('/', '/\u0007'),
      note.replace(/=\n/, '\n'),
    ];
    for (const text of spoiled) expect(() => readCheckpoint(text)).toThrow(LogError);
  });

  it('reject a damaged key', () => {
    const [vkey] = GO.keys;
    for (const text of [
      '',
      'a+b',
      vkey.replace('+880dc645', '+880dc646'),
      vkey.slice(0, -4),
      vkey.replace('+AeQ', '+AuQ'),
    ])
      expect(() => readVerifierKey(text)).toThrow(LogError);
  });
});

describe('commitments', () => {
  const value = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: 'grapheme', maxLength: 4 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(fc.string({ maxLength: 3 }), tie('json'), { maxKeys: 3 }),
    ),
  })).json;
  const asset = fc.dictionary(fc.constantFrom('id', 'title', 'value', 'a/b', '~', 'items', 'date'), value, {
    minKeys: 1,
  });
  const secret = Buffer.alloc(32, 7);

  const opened = (one: object, ...pointers: string[]): Extract<Opening, { erased: object }> =>
    erasedOpening({ ...one }, { secret: secret.toString('base64') }, pointers) as ReturnType<typeof opened>;
  const digest = hash('sha256', 'of something', 'base64');
  /** The commitment of an asset with an id and this text of its other members. */
  const commitmentTo = (text: string): string =>
    hash('sha256', JSON.stringify(['x', null, null, null, null, null]) + text, 'base64');

  it('bind no value below or instead of an erased one, whatever secrets are given for it', () => {
    const whole = commitmentTo(`{"value":"${digest}"}`);
    const erased = { '/value': digest };
    expect(isBound({ id: 'x' }, { secrets: [], erased }, whole)).toBe(true);
    for (const part of [{ amount: 1 }, {}, 5, null])
      for (const secrets of [[], [secret.toString('base64')]])
        expect(isBound({ id: 'x', value: part }, { secrets, erased }, whole)).toBe(false);
    const parted = commitmentTo(`{"value":"${hash('sha256', `{"amount":"${digest}"}`, 'base64')}"}`);
    for (const part of [{}, 5, [], { amount: 1 }, undefined])
      expect(isBound({ id: 'x', value: part }, { secrets: [], erased: { '/value/amount': digest } }, parted)).toBe(
        JSON.stringify(part) === '{}',
      );
  });

  it('are opened by no secret of another length, and not without one', () => {
    const one = { title: 't', text: 'u' };
    const commitment = commitmentOf(one, secret);
    const { secrets, erased } = opened(one, '/title');
    const right = secrets[0] as string;
    expect(isBound({ text: 'u' }, { secrets, erased }, commitment)).toBe(true);
    for (const others of [[], [''], [right.slice(0, -4)], [`${right}AAAA`], [`${right.slice(0, -1)}"`]])
      expect(isBound({ text: 'u' }, { secrets: others, erased }, commitment)).toBe(false);
    for (const length of [0, 1, 31, 33])
      expect(isBound(one, { secret: Buffer.alloc(length, 7).toString('base64') }, commitment)).toBe(false);
  });

  it('bind no erasure with a digest of another length or of a field that never existed', () => {
    const one = { id: 'x', items: [{ tel: '1' }] };
    const commitment = commitmentOf(one, secret);
    const { secrets, erased } = opened(one, '/items/0/tel');
    const left = { id: 'x', items: [{}] };
    expect(isBound(left, { secrets, erased }, commitment)).toBe(true);
    for (const other of ['', digest, `${erased['/items/0/tel']}${digest}`])
      for (const forged of [{ ...left, contact: {} }, left])
        expect(isBound(forged, { secrets, erased: { ...erased, '/contact/tel': other } }, commitment)).toBe(false);
  });

  it('bind the rest of any asset after an erasure, and nothing under another name', () => {
    const pointersIn = (one: unknown, at = ''): string[] =>
      Object.entries(Object(one) as object).flatMap(([name, part]) => {
        const pointer = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        return [
          ...(Array.isArray(one) ? [] : [pointer]),
          ...(typeof part === 'string' ? [] : pointersIn(part, pointer)),
        ];
      });
    fc.assert(
      fc.property(asset, fc.nat(), (one, nth) => {
        const { id: _, date: __, ...members } = one;
        const pointers = pointersIn(members);
        fc.pre(pointers.length > 0);
        const pointer = pointers[nth % pointers.length] as string;
        const parts = pointer
          .split('/')
          .slice(1)
          .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
        const left = structuredClone(members) as Record<string, unknown>;
        const parent = parts.slice(0, -1).reduce((at, part) => at[part] as typeof left, left);
        delete parent[parts.at(-1) as string];
        const [commitment, { secrets, erased }] = [commitmentOf(members, secret), opened(members, pointer)];
        expect(isBound(left, { secrets, erased }, commitment)).toBe(true);
        const renamed = { [`${pointer}x`]: erased[pointer] as string };
        expect(isBound(left, { secrets, erased: renamed }, commitment)).toBe(false);
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});

describe('entries and proofs', () => {
  const log = new FakeLog();
  const assets = [0, 1, 2].map((number) => fakeAsset(number, 1_790_000_000_000_000 + number));
  for (const asset of assets) log.append(asset);
  log.publish();
  const keys = [readVerifierKey(log.identity.publicKey)];
  /** A proof of place 1 of three entries: the hashes of its sibling and of the third entry. */
  const proof = (extra: unknown, hashes = [0, 2].map((i) => (log.leaves[i] as Buffer).toString('base64'))): string => {
    const encoded = Buffer.from(JSON.stringify(extra)).toString('base64');
    return ['c2sp.org/tlog-proof@v1', `extra ${encoded}`, 'index 1', ...hashes, '', log.note].join('\n');
  };
  const { opening } = log.states[1] as FakeState & { opening: Opening };
  const extra = { entry: log.entries[1], opening };

  it('a proof of a state is verified', () => {
    const verified = verifyState(assets[1] as object as Record<string, unknown>, proof(extra), keys);
    expect(verified).toMatchObject({ place: 1, entry: { id: assets[1]?.id }, checkpoint: { size: 3 } });
  });

  it('a proof is refused if any part of it is wrong', () => {
    const asset = assets[1] as object as Record<string, unknown>;
    const refused = (text: string, state = asset, by = keys): string => {
      try {
        verifyState(state, text, by);
      } catch (error) {
        if (error instanceof LogError) return error.message;
      }
      return 'taken';
    };
    expect(refused(proof({ ...extra, entry: log.entries[0] }))).toMatch(/does not lead/);
    expect(refused(proof(extra, [(log.leaves[0] as Buffer).toString('base64')]))).toMatch(/does not lead/);
    expect(refused(proof(extra).replace('index 1', 'index 0'))).toMatch(/does not lead/);
    expect(refused(proof({ ...extra, opening: { secret: '' } }))).toMatch(/not what the commitment binds/);
    expect(refused(proof({ entry: log.entries[1] }))).toMatch(/no valid opening/);
    for (const other of [7, null, []])
      expect(refused(proof({ ...extra, opening: { secret: other, secrets: [], erased: {} } }))).toMatch(
        /no valid opening/,
      );
    expect(refused(proof(extra), { ...asset, title: 'another' })).toMatch(/not what the commitment binds/);
    expect(refused(proof(extra), { ...asset, dateModified: assets[0]?.dateModified })).toMatch(/another dateModified/);
    expect(refused(proof(extra), { ...asset, id: 'another' })).toMatch(/another id/);
    expect(refused(proof(extra), asset, [])).toMatch(/not signed/);
    for (const text of ['', proof(extra).replace('@v1', '@v2'), proof(extra).replace('extra ', 'exta '), proof([])])
      expect(refused(text)).toMatch(/not a proof of a state|has no entry/);
  });

  it('an entry is read as it is written alone', () => {
    const [text = ''] = log.entries;
    expect(readEntry(text)).toMatchObject({ id: assets[0]?.id });
    const spoiled = [
      '',
      '{}',
      'null',
      ` ${text}`,
      text.replace('{', '{"x":1,'),
      text.replace('Z"', '+00:00"'),
      `${text}\n`,
    ];
    for (const other of spoiled) expect(() => readEntry(other)).toThrow(LogError);
    const unbound = { ...readEntry(text), commitment: null };
    expect(faultOf(assets[0] as object as Record<string, unknown>, unbound, null)).toBe('the entry has no commitment');
  });

  it('instants are the same in every zone', () => {
    expect(instantUs('2026-11-23T20:00:00.123456+02:00')).toBe(instantUs('2026-11-23T18:00:00.123456Z'));
    expect(instantUs('2026-11-23T18:00:00.123456Z')).toBe(Date.UTC(2026, 10, 23, 18) * 1_000 + 123_456);
    expect(instantUs('2026-11-23')).toBeNaN();
  });
});
