import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  isBound,
  LogError,
  NotFound,
  readVerifierKey,
  RegistryClient,
  verifyState,
} from '../../clients/typescript/src/index.js';
import { erasedOpening } from 'asset-registry-tlog';
import type { JsonObject } from '../support/assets.js';
import { FakeLog, FakeSigner, type FakeState } from '../support/fake-log.js';
import { FakeLogRegistry } from '../support/fake-log-registry.js';

let registry: FakeLogRegistry;
let client: RegistryClient;
let log: FakeLog;
beforeEach(async () => {
  registry = await new FakeLogRegistry().start();
  client = new RegistryClient(registry.url, { retries: 0 });
  for (let i = 0; i < 7; i++) registry.add();
  log = (registry.log as FakeLog).publish();
});
afterEach(async () => {
  await client.close();
  await registry.stop();
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('the log of a client', () => {
  it('is read page by page from a place to its end', async () => {
    log.pageSize = 3;
    const read = await all(client.log());
    expect(read.map(({ place }) => place)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(read.map(({ text }) => text)).toEqual(log.entries);
    for (const { asset, opening, entry } of read)
      expect(isBound({ ...asset }, opening as { secret: string }, entry.commitment as string)).toBe(true);
    const rest = await all(client.log({ from: 5 }));
    expect(rest.map(({ place }) => place)).toEqual([5, 6]);
    expect(await all(client.log({ from: 7 }))).toEqual([]);
  });

  it('gets an error for an unreadable entry, and for a registry without a log', async () => {
    log.entries[4] = '{}';
    await expect(all(client.log())).rejects.toThrow(LogError);
    registry.log = undefined;
    await expect(all(client.log())).rejects.toThrow(NotFound);
    expect(await client.logFiles.identity()).toBeUndefined();
  });

  it('proves a state', async () => {
    const [id, asset] = [...registry.assets][5] as [string, JsonObject];
    const { publicKey } = (await client.logFiles.identity()) as { publicKey: string };
    const proof = await client.logFiles.proof(id);
    expect(verifyState(asset, proof, [readVerifierKey(publicKey)])).toMatchObject({ place: 5, entry: { id } });
    expect(await client.logFiles.checkpoint()).toBe(log.note);
  });
});

/** They are on nearly every machine, and nothing else of the tests needs them. */
const missingPrograms = ['python3', 'openssl'].filter((name) => spawnSync(name, ['version']).error !== undefined);
if (missingPrograms.length > 0)
  console.warn(`NOT TRIED: check-proof.py, because this machine lacks ${missingPrograms.join(' and ')}`);
const describeScript = missingPrograms.length > 0 ? describe.skip : describe;

/** Than every state. */
const LATER = '2100-01-01T00:00:00.000000+02:00';

describeScript('check-proof.py', () => {
  let folder: string;
  /** Itself: a launcher of several versions takes longer to choose one than the script takes. */
  let python: string;
  beforeAll(() => {
    python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout.trim();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'check-proof-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  interface Judged {
    status: number | null;
    output: string;
  }

  function check(place: number, asset: unknown, proof = log.proof(place)): Judged {
    writeFileSync(join(folder, 'proof'), proof);
    writeFileSync(join(folder, 'asset.json'), typeof asset === 'string' ? asset : JSON.stringify({ data: asset }));
    return script('proof', 'asset.json', log.identity.publicKey);
  }
  function script(...words: string[]): Judged {
    const file = resolvePath('src/pages/files/check-proof.py');
    // Without packages of the machine, which the script does not need.
    const { status, stdout, stderr } = spawnSync(python, ['-I', '-S', file, ...words], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  }

  it('accepts a valid proof', () => {
    const numbers = [
      0,
      -0,
      1,
      -1.5,
      100.25,
      1e16,
      123456789012345680000,
      1e21,
      1.5e-7,
      0.000001,
      5e-324,
      2 ** 53,
      true,
    ];
    const others = { title: 'Земля "№ 1"\n\u001f\u007f😀', 'a/b~c': { '': [] }, numbers, none: null };
    const place = registry.add(others);
    log.publish();
    const { status, output } = check(place, log.states[place]?.asset);
    expect([status, output]).toEqual([0, expect.stringContaining('The asset is what the entry binds.')]);
    expect(output).toContain(`The checkpoint is signed by ${log.identity.publicKey}.`);
  });

  it('refuses a signature of a witness, or of the log, that is missing or of something else', () => {
    const [witness, silent] = [new FakeSigner('witness.example', 4), new FakeSigner('silent.example', 4)];
    log.witnesses = [witness];
    log.publish();
    const { asset } = log.states[2] as FakeState;
    const judge = (words: string[], proof = log.proof(2)): Judged => {
      writeFileSync(join(folder, 'proof'), proof);
      writeFileSync(join(folder, 'asset.json'), JSON.stringify(asset));
      return script('proof', 'asset.json', ...words);
    };
    const key = log.identity.publicKey;
    const accepted = `The witness ${witness.vkey} signed it at 2023-11-14T22:13:20+00:00.`;
    expect(judge([key, '--witness', witness.vkey])).toEqual({ status: 0, output: expect.stringContaining(accepted) });
    const refused = (output: string) => ({ status: 1, output: expect.stringContaining(`WRONG: ${output}`) as unknown });
    const both = ['--witness', witness.vkey, '--witness', silent.vkey];
    expect(judge([key, ...both])).toEqual(refused(`the checkpoint is not signed by ${silent.vkey}`));
    expect(judge([key, '--witness', key])).toEqual(refused(`this is not such a verifier key: ${key}`));
    const proof = log.proof(2);
    // A bit of the signature is another one.
    const bit = (name: string): RegExp => new RegExp(`^(— ${name.replaceAll('.', '\\.')}\\S* \\S{20})(\\S)`, 'm');
    for (const [name, words] of [
      ['registry.example', [key]],
      ['witness.example', [key, '--witness', witness.vkey]],
    ] as const) {
      const other = proof.replace(bit(name), (_, before: string, one: string) => before + (one === 'A' ? 'B' : 'A'));
      expect(other).not.toBe(proof);
      expect(judge([...words], other)).toEqual(
        refused(`the signature of the checkpoint by ${words.at(-1)} is invalid`),
      );
    }
  });

  it('refuses an erasure that the state does not date later', () => {
    log.erase(3, ['title'], LATER);
    const { asset } = log.states[3] as FakeState;
    expect(check(3, asset)).toMatchObject({ status: 0 });
    const at = asset?.['dateModified'];
    const output = expect.stringContaining('WRONG: /title is missing, and the asset does not list') as unknown;
    expect(check(3, { ...asset, redacted: [{ pointer: '/title', reason: 'r', at }] })).toEqual({ status: 1, output });
  });

  it('refuses openings of another form, and secrets and digests of another length', () => {
    const { asset, opening } = log.states[2] as FakeState & { opening: { secret: string } };
    const opened = (given: object, state = asset) => {
      log.states[2] = { asset, opening: given as { secret: string } };
      return check(2, state);
    };
    const said = (output: string) => ({ status: 1, output: expect.stringContaining(output) as unknown });
    for (const more of [{ erased: {} }, { secrets: [] }])
      expect(opened({ ...opening, ...more })).toEqual(said('WRONG: the proof has no valid opening'));
    const { secrets } = erasedOpening(asset ?? {}, opening, []) as { secrets: string[] };
    expect(opened({ secrets, erased: {} })).toMatchObject({ status: 0 });
    expect(opened({ secrets })).toEqual(said('WRONG: the proof has no valid opening'));
    expect(opened({ secrets: [], erased: {} })).toEqual(said('WRONG: the proof has no secret for the asset'));
    for (const other of ['', `${secrets[0]}AAAA`])
      expect(opened({ secrets: [other], erased: {} })).toEqual(said('WRONG: a secret is not 44 characters'));
    const never = { ...asset, redacted: [{ pointer: '/gone/x', reason: 'r', at: LATER }] };
    expect(opened({ secrets, erased: { '/gone/x': 'A'.repeat(43) + '=' } }, never)).toEqual(
      said('/gone/x is listed as erased'),
    );
    const redacted = [{ pointer: '/gone', reason: 'r', at: LATER }];
    for (const digest of ['', 'A'.repeat(88)])
      expect(opened({ secrets, erased: { '/gone': digest } }, { ...asset, redacted })).toEqual(
        said('WRONG: an erased member has no digest'),
      );
  });

  it('refuses an erasure under another name', () => {
    log.erase(2, ['title'], LATER);
    const { asset, opening } = log.states[2] as FakeState & { opening: { secrets: string[]; erased: object } };
    const [digest] = Object.values(opening.erased) as string[];
    log.states[2] = { asset, opening: { ...opening, erased: { '/titel': digest as string } } };
    const redacted = [{ pointer: '/titel', reason: 'r', at: LATER }];
    expect(check(2, { ...asset, redacted }).output).toContain('WRONG');
  });

  /** Adds an asset whose commitment has an id and `text`. @param text JSON of the other members, with digests */
  function bound(members: JsonObject, text: string, opening: object): number {
    const date = '2026-01-01T00:00:00.000000Z';
    const at = '2026-01-02T00:00:00.000000+00:00';
    const id = 'a'.repeat(32);
    const set = JSON.stringify([id, null, null, null, null, null]);
    const entry = { id, date, dateModified: date, commitment: hash('sha256', set + text, 'base64') };
    const redacted = ['/value', '/value/amount'].map((pointer) => ({ pointer, reason: 'r', at }));
    const asset = { id, ...members, date, dateModified: date, redacted };
    log.put(log.entries.length, JSON.stringify(entry), { asset, opening: opening as { secret: string } });
    log.publish();
    return log.entries.length - 1;
  }

  it('rejects a commitment that binds two values of a field', () => {
    const verdict = (members: JsonObject, text: string, opening: object): string => {
      const { output } = check(bound(members, text, opening), log.states.at(-1)?.asset);
      return output.split('\n').find((line) => line.startsWith('WRONG')) ?? 'accepted';
    };
    const digest = hash('sha256', 'of something', 'base64');
    const above = { secrets: [], erased: { '/value': digest } };
    expect(verdict({}, `{"value":"${digest}"}`, above)).toBe('accepted');
    expect(verdict({ value: { amount: 1 } }, `{"value":"${digest}"}`, above)).toBe(
      'WRONG: /value is present, but erased',
    );
    const below = { secrets: [], erased: { '/value/amount': digest } };
    const parted = `{"value":"${hash('sha256', `{"amount":"${digest}"}`, 'base64')}"}`;
    expect(verdict({ value: {} }, parted, below)).toBe('accepted');
    expect(verdict({ value: 5 }, parted, below)).toBe('WRONG: the proof has no secret for /value');
  });

  it('refuses a text with a duplicate name, of which another parser may read the other member', () => {
    const text = JSON.stringify({ data: log.states[2]?.asset });
    expect(check(2, text)).toMatchObject({ status: 0 });
    const twice = { status: 1, output: 'WRONG: "title" is present twice\n' };
    expect(check(2, text.replace('"title"', '"title":"forged","title"'))).toEqual(twice);
    expect(check(2, text.replace('"title"', '"title":"forged","t\\u0069tle"'))).toEqual(twice);
  });

  it('refuses a state that is nested deeper than the stack', () => {
    const text = JSON.stringify({ data: log.states[2]?.asset });
    const deeper = (count: number): string =>
      text.replace('"title"', `"deep":${'['.repeat(count)}${']'.repeat(count)},"title"`);
    expect(check(2, deeper(16)).output).toContain('WRONG: the asset is not what the entry binds');
    const output = 'WRONG: the asset is nested deeper than a registry allows\n';
    expect(check(2, deeper(20_000))).toEqual({ status: 1, output: expect.stringContaining(output) });
  });

  it('reports unreadable input in a sentence', () => {
    const { asset } = log.states[2] as FakeState;
    const refused = {
      status: 1,
      output: expect.stringMatching(
        /^(?:The entry is .*\n.*\n)?(?:The asset is .*\n)?WRONG: the proof, the asset or the verifier key is malformed: .*\n$/,
      ),
    };
    expect(check(2, '<html>')).toEqual(refused);
    expect(check(2, [])).toEqual(refused);
    expect(check(2, asset, '{"status":"error"}')).toEqual(refused);
    expect(check(2, asset)).toMatchObject({ status: 0 });
    expect(script('proof', 'asset.json', 'nonsense')).toEqual(refused);
    expect(script('nowhere', 'asset.json', 'nonsense')).toEqual({
      status: 1,
      output: "[Errno 2] No such file or directory: 'nowhere'\n",
    });
  });

  it('refuses an invalid proof', () => {
    const { asset } = log.states[2] as FakeState;
    const said = (output: string) => ({ status: 1, output: expect.stringContaining(output) as unknown });
    expect(check(2, { ...asset, title: 'another' })).toEqual(said('WRONG: the asset is not what the entry binds'));
    expect(check(2, { ...asset, date: asset?.['dateModified'] })).toMatchObject({ status: 0 });
    expect(check(2, log.states[1]?.asset)).toEqual(said('WRONG: the asset has another date'));
    expect(check(2, asset, log.proof(2).replace('index 2', 'index 3'))).toEqual(
      said('WRONG: the entry is not in the log'),
    );
    expect(check(2, asset, log.proof(2).replace('index 2', 'index 9'))).toEqual(said('WRONG: a log of'));
    const proof = log.proof(2);
    log.signers = new FakeLog().signers;
    expect(check(2, asset, proof)).toEqual(said('WRONG: the checkpoint is not signed by'));
  });
});
