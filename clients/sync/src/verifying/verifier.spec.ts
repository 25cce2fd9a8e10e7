import { expect, it } from '@jest/globals';
import type { RegistryClient } from 'asset-registry-client';
import type { Entry } from '../asset-row.js';
import type { Copy, CopyState } from '../copies/copy.js';
import { Verifier } from './verifier.js';

/** More than the maximum number of arguments of a call. */
const MANY = 200_000;

it('reports any number of differences', async () => {
  const entries: Entry[] = Array.from({ length: MANY }, (_, n) => ({
    id: String(n),
    feedUs: n + 1,
    dateModified: 'x',
  }));
  const copy = {
    entries: async function* () {
      yield entries;
    },
    contents: () => Promise.resolve([]),
    feedUsAt: () => Promise.resolve(undefined),
    findEntry: (id: string) => Promise.resolve(entries[Number(id)]),
  } as unknown as Copy;
  const state = { position: '', epoch: 'e', types: null, fields: null, filter: null } as unknown as CopyState;
  const client = { page: () => Promise.resolve({ entries: [], epoch: 'e' }) } as unknown as RegistryClient;
  const plan = { documents: true, dryRun: true };
  const verifier = new Verifier(copy, client, plan, () => Promise.resolve(state));
  const { differences, isSame } = await verifier.run();
  expect([differences.length, isSame]).toEqual([MANY, false]);
});
