import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { checkpointText, leafHash, LogTree } from '#tlog';
import { merkleRoot } from '../../test/support/log-reader.js';
import { type Behaviour, TestWitness } from '../../test/support/log-witness.js';
import { until } from '../../test/support/until.js';
import { logger } from '../platform/logging/logger.js';
import { LogKeys, newLogKey } from './log-keys.js';
import { parseWitnesses, Witnesses } from './witnesses.js';

const ORIGIN = 'registry.example.org/log/0123';
const KEYS = LogKeys.parse(newLogKey('registry.example.org/log'));
const LEAVES = Array.from({ length: 20 }, (_, i) => leafHash(`entry ${i}`));
const OTHERS = LEAVES.map((_, i) => leafHash(`other ${i}`));

const treeOf = (size: number): LogTree =>
  new LogTree((_, from, count) => Promise.resolve(LEAVES.slice(from, from + count)), size);
const rootOf = (size: number, leaves = LEAVES): string => merkleRoot(leaves.slice(0, size)).toString('base64');
const noteOf = (size: number): string =>
  KEYS.sign(ORIGIN, checkpointText({ origin: ORIGIN, size, root: merkleRoot(LEAVES.slice(0, size)) }));

const folder = mkdtempSync(join(tmpdir(), 'witness-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a log with witnesses', () => {
  let witness: TestWitness;
  let witnesses: Witnesses;
  let warned: unknown[];
  /** The time-out of each request, which the test ends. */
  let times: { ms: number; end: () => void }[];
  let files = 0;

  const startOne = (name = 'witness.example.org'): Promise<TestWitness> =>
    TestWitness.start(name, join(folder, `${files++}.json`), (origin) =>
      origin === ORIGIN ? KEYS.verifierKeys(origin)[0] : undefined,
    );

  beforeEach(async () => {
    [warned, times] = [[], []];
    jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const time = new AbortController();
      times.push({ ms, end: () => time.abort(new Error('time-out')) });
      return time.signal;
    });
    jest.spyOn(logger, 'warn').mockImplementation((...line: unknown[]) => void warned.push(line[0]));
    witness = await startOne();
    witnesses = new Witnesses(parseWitnesses(witness.setting));
  });
  afterEach(async () => {
    await witness.stop();
    jest.restoreAllMocks();
  });

  it('gets its note cosigned at each size, with consistency proofs', async () => {
    for (const size of [0, 1, 2, 3, 7, 8, 8, 9, 16, 20]) {
      const note = await witnesses.countersign(noteOf(size), treeOf(size));
      expect(note.startsWith(noteOf(size))).toBe(true);
      expect(witness.hasCosigned(note)).toBe(true);
      expect(witness.seen(ORIGIN)).toEqual({ size, root: rootOf(size) });
    }
    expect(new Set(witness.answers)).toEqual(new Set([200]));
    expect(warned).toEqual([]);
  });

  it('learns from a witness which size that has seen', async () => {
    for (const known of [1, 2, 3, 5, 8, 13, 20]) {
      witness.remember(ORIGIN, { size: known, root: rootOf(known) });
      const fresh = new Witnesses(parseWitnesses(witness.setting));
      expect(witness.hasCosigned(await fresh.countersign(noteOf(20), treeOf(20)))).toBe(true);
    }
    // A witness that was reset knows less than this process has shown it.
    witness.remember(ORIGIN, undefined);
    await witnesses.countersign(noteOf(10), treeOf(10));
    witness.remember(ORIGIN, { size: 4, root: rootOf(4) });
    expect(witness.hasCosigned(await witnesses.countersign(noteOf(12), treeOf(12)))).toBe(true);
    expect(warned).toEqual([]);
  });

  it.each([
    ['another history', { size: 5, root: rootOf(5, OTHERS) }, 422],
    ['a larger size', { size: 21, root: rootOf(20) }, 409],
  ])('is not cosigned by one that has seen %s', async (_, seen, status) => {
    witness.remember(ORIGIN, seen);
    expect(await witnesses.countersign(noteOf(20), treeOf(20))).toBe(noteOf(20));
    expect(await witnesses.countersign(noteOf(20), treeOf(20))).toBe(noteOf(20));
    expect(witness.answers.at(-1)).toBe(status);
    expect(witness.seen(ORIGIN)).toEqual(seen);
    expect(warned).toEqual([{ witness: witness.name, reason: expect.stringContaining(String(status)) }]);
  });

  it.each<Behaviour>(['away', 'silent', 'trickling', 'garbage', 'short', 'megabyte', 'wrong', 'timeless', 'elsewhere'])(
    'continues without one that is %s, warns once, and uses it again later',
    async (behaviour) => {
      const infos = jest.spyOn(logger, 'info').mockReturnValue();
      const other = await startOne('other.example.org');
      witnesses = new Witnesses(parseWitnesses(`${witness.setting}\n${other.setting}`));
      witness.behaviour = behaviour;
      for (const [i, size] of [3, 4].entries()) {
        const countersigned = witnesses.countersign(noteOf(size), treeOf(size));
        if (behaviour === 'silent' || behaviour === 'trickling') {
          await until(() => witness.asked > i && other.answers.length > i);
          expect(times[2 * i]?.ms).toBe(2_000);
          times[2 * i]?.end();
        }
        const note = await countersigned;
        expect([witness.hasCosigned(note), other.hasCosigned(note)]).toEqual([false, true]);
        expect(note.length).toBeLessThan(1_000);
      }
      // The reason is specific.
      expect(warned).toEqual([{ witness: witness.name, reason: expect.not.stringMatching(/^(?:fetch failed)?$/) }]);
      witness.behaviour = 'well';
      expect(witness.hasCosigned(await witnesses.countersign(noteOf(5), treeOf(5)))).toBe(true);
      expect(infos).toHaveBeenCalledTimes(1);
      expect(warned).toHaveLength(1);
      await other.stop();
    },
  );

  it('asks only a witness that was away again for the same checkpoint, after a minute', async () => {
    const other = await startOne('other.example.org');
    witnesses = new Witnesses(parseWitnesses(`${witness.setting}\n${other.setting}`));
    let nowMs = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    witness.behaviour = 'garbage';
    const lacking = await witnesses.countersign(noteOf(5), treeOf(5));
    expect([witness.hasCosigned(lacking), other.hasCosigned(lacking)]).toEqual([false, true]);
    nowMs += 59_000;
    expect(witnesses.isDue(lacking)).toBe(false);
    nowMs += 1_000;
    expect(witnesses.isDue(lacking)).toBe(true);
    witness.behaviour = 'well';
    const answered = other.answers.length;
    const whole = await witnesses.countersign(noteOf(5), treeOf(5), lacking);
    expect([witness.hasCosigned(whole), other.answers.length]).toEqual([true, answered]);
    expect(whole).toContain(lacking.slice(noteOf(5).length));
    nowMs += 60_000;
    expect(witnesses.isDue(whole)).toBe(false);
    // A new checkpoint goes to both.
    const next = await witnesses.countersign(noteOf(6), treeOf(6), whole);
    expect([witness.hasCosigned(next), other.hasCosigned(next)]).toEqual([true, true]);
    await other.stop();
  });

  it('ignores an invalid cosignature of an earlier checkpoint', async () => {
    const whole = await witnesses.countersign(noteOf(5), treeOf(5));
    const forged = whole.replace(/.{8}\n$/, 'AAAAAA==\n');
    // A new process asks at once.
    witnesses = new Witnesses(parseWitnesses(witness.setting));
    expect(witnesses.isDue(forged)).toBe(true);
    expect(witness.hasCosigned(await witnesses.countersign(noteOf(5), treeOf(5), forged))).toBe(true);
  });

  it('sends no requests without witnesses', async () => {
    expect(await new Witnesses(parseWitnesses(' ')).countersign(noteOf(2), treeOf(2))).toBe(noteOf(2));
  });
});

describe('LOG_WITNESSES', () => {
  const KEY = 'witness.example.org+38ed7dac+BHdBQ1UpHjWkFjQXvfWfpYtX1+lFF1o6T/Yk1BH0Q4aB';

  it.each([
    [KEY, 'must be pairs of a verifier key and a URL'],
    [`${LogKeys.parse(newLogKey('x')).verifierKeys('x')[0]} https://w.example.org`, 'not a verifier key of a witness'],
    ['w+00000000+BAAA https://w.example.org', 'not a verifier key of a witness'],
    ['w ftp://w.example.org', 'not a verifier key of a witness'],
  ])('is refused as %s', (text, reason) => {
    expect(() => parseWitnesses(text)).toThrow(reason);
  });

  it('is refused with another id, or without http', async () => {
    const witness = await TestWitness.start('w', join(folder, 'other.json'), () => undefined);
    await witness.stop();
    const { verifierKey } = witness;
    const [name, id = '', key] = verifierKey.split('+');
    const swapped = `${name}+${id.slice(1)}${id[0] === 'f' ? '0' : 'f'}+${key}`;
    expect(() => parseWitnesses(`${swapped} https://w.example.org`)).toThrow('not a verifier key of a witness');
    for (const url of ['ftp://w.example.org', 'w.example.org', 'https://'])
      expect(() => parseWitnesses(`${verifierKey} ${url}`)).toThrow('not an http or https URL');
    expect(parseWitnesses(`${verifierKey} https://w.example.org/x/`)).toMatchObject([
      { url: 'https://w.example.org/x' },
    ]);
  });
});
