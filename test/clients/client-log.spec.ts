import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  isBound,
  LogError,
  NotFound,
  readVerifierKey,
  RegistryClient,
  verifyState,
} from '../../clients/typescript/src/index.js';
import type { JsonObject } from '../support/assets.js';
import { FakeLog, type FakeState } from '../support/fake-log.js';
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

  it('is told where an entry cannot be read, and where there is no log', async () => {
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

  it('ends with the signal', async () => {
    const given = AbortSignal.abort(new Error('enough'));
    await expect(all(client.log({ signal: given }))).rejects.toThrow('enough');
  });
});

/** They are on nearly every machine, and nothing else of the tests needs them. */
const lacking = ['python3', 'openssl'].filter((name) => spawnSync(name, ['version']).error !== undefined);
if (lacking.length > 0)
  console.warn(`NOT TRIED: check-proof.py, for which ${lacking.join(' and ')} are not on this machine`);
const describeScript = lacking.length > 0 ? describe.skip : describe;

describeScript('check-proof.py', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'check-proof-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function check(place: number, asset: unknown, proof = log.proof(place)): { status: number | null; told: string } {
    writeFileSync(join(folder, 'proof'), proof);
    writeFileSync(join(folder, 'asset.json'), JSON.stringify({ data: asset }));
    const words = [resolvePath('docs/examples/check-proof.py'), 'proof', 'asset.json', log.identity.publicKey];
    const { status, stdout, stderr } = spawnSync('python3', words, { cwd: folder, encoding: 'utf8' });
    return { status, told: stdout + stderr };
  }

  it('takes what is proved, and its commands for openssl check the signature', () => {
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
    const { status, told } = check(place, log.states[place]?.asset);
    expect([status, told]).toEqual([0, expect.stringContaining('The asset is what the entry binds.')]);
    const commands = told.split('\n').filter((line) => /^(?:echo|openssl) /.test(line));
    const run = (): string => execFileSync('sh', ['-c', commands.join('\n')], { cwd: folder, encoding: 'utf8' });
    expect(run()).toContain('Signature Verified Successfully');
    commands.splice(0, 1, 'echo other > note.txt');
    expect(run).toThrow();
  });

  it('takes a state of which something was erased', () => {
    log.erase(3, ['title', 'items'], '2026-11-23T20:00:00.000000+02:00');
    const { asset } = log.states[3] as FakeState;
    expect(check(3, asset)).toMatchObject({ status: 0 });
    expect(check(3, { ...asset, title: 'guessed' })).toMatchObject({ status: 1 });
  });

  it('refuses what is not proved', () => {
    const { asset } = log.states[2] as FakeState;
    const said = (told: string) => ({ status: 1, told: expect.stringContaining(told) as unknown });
    expect(check(2, { ...asset, title: 'another' })).toEqual(said('WRONG: the asset is not what the entry binds'));
    expect(check(2, { ...asset, date: asset?.['dateModified'] })).toMatchObject({ status: 0 });
    expect(check(2, log.states[1]?.asset)).toEqual(said('WRONG: the asset has another date'));
    expect(check(2, asset, log.proof(2).replace('index 2', 'index 3'))).toEqual(
      said('WRONG: the entry is not in the log'),
    );
    expect(check(2, asset, log.proof(2).replace('index 2', 'index 9'))).toEqual(said('WRONG: there is no place 9'));
    const proof = log.proof(2);
    log.signers = new FakeLog().signers;
    expect(check(2, asset, proof)).toEqual(said('WRONG: the checkpoint is not signed by'));
  });
});
