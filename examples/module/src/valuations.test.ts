import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Test } from '@nestjs/testing';
import { createApp, loadConfig, type MakeApplication, type Registry } from 'asset-registry/testing';
import { ValuationsModule } from './valuations.module.js';
import { ValuationsService } from './valuations.service.js';
import { VALUERS } from './valuer.guard.js';

/** The whole service with the module, with one provider replaced. */
const withModule: MakeApplication = async (root, adapter, options) => {
  const module = await Test.createTestingModule({ imports: [root, ValuationsModule] })
    .overrideProvider(VALUERS)
    .useValue(['broker2'])
    .compile();
  return module.createNestApplication(adapter, options);
};

const folder = mkdtempSync(join(tmpdir(), 'valuations-'));
let registry: Registry;
let url: string;

before(async () => {
  const config = loadConfig({
    DATABASE_URL: `sqlite:${join(folder, 'registry.sqlite')}`,
    SEARCH_INDEX: 'off',
    LOG_LEVEL: 'silent',
    PORT: '0',
  });
  registry = await createApp(config, withModule);
  url = `${await registry.listen()}/api/0.1/valuations`;
});
after(async () => {
  await registry.close();
  rmSync(folder, { recursive: true });
});

const post = (key: string, amount: unknown): Promise<Response> =>
  fetch(`${url}/${'0'.repeat(32)}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ amount }),
  });
const refusal = async (response: Response): Promise<unknown> => {
  const { errors } = (await response.json()) as { errors: { description: string }[] };
  return [response.status, errors[0]?.description];
};

test('an unknown asset is 404', async () => {
  assert.deepEqual(await refusal(await fetch(`${url}/nowhere`)), [404, 'There is no asset with this id']);
  assert.deepEqual(await refusal(await post('broker2', 5)), [404, 'There is no asset with this id']);
});

test('a valuation needs a key, an account of a valuer, and a positive amount', async () => {
  assert.equal((await post('unknown', 5)).status, 401);
  assert.deepEqual(await refusal(await post('broker', 5)), [403, 'This account may not value assets']);
  assert.deepEqual(await refusal(await post('broker2', -5)), [400, 'amount must be a positive number']);
});

test('the service without the registry', async () => {
  const asset = { id: 'a', assetID: 'UA-2026-11-29-000001', title: 'A field' };
  const service = new ValuationsService({ get: () => Promise.resolve(asset) } as never);
  assert.deepEqual(await service.add('a', { amount: 5, by: 'valuer' }), {
    assetID: asset.assetID,
    title: asset.title,
    valuations: [{ amount: 5, by: 'valuer' }],
  });
});
