import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PathItemObject } from 'openapi3-ts/oas31';
import * as installed from '../../src/asset-types/installed.js';
import { create } from '../support/assets.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { AnswerValidator, type ObservedAnswer } from '../support/answer-validator.js';
import { newLogKey } from '../../src/log/log-keys.js';
import { TestRegistry } from '../support/registry.js';

const [sqlite] = databases as [TestDatabaseKind];
const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'OPTIONS'];

const CASES = [
  ['/api/0.1/openapi.json', 'without a log', {}],
  ['/api/0/openapi.json', 'with one', { LOG_KEY: newLogKey('registry.example/log') }],
] as const;

describe.each(CASES)('%s on SQLite, %s', (path, log, env) => {
  let registry: TestRegistry;

  beforeAll(async () => {
    registry = await TestRegistry.start(sqlite, env);
  });
  afterAll(() => registry?.stop());

  it('is the document, with the types that the service has', async () => {
    const { status, json, headers } = await registry.send(path);
    expect(status).toBe(200);
    expect(json.openapi).toMatch(/^3\.1\./);
    expect(Object.keys(json.components.schemas.NewAsset.discriminator.mapping)).toEqual(
      Object.values(installed).map(({ name }) => name),
    );
    expect(headers.get('content-type')).toBe('application/json');
  });

  it('names servers by their paths, so that it is true wherever it came from', async () => {
    const { json } = await registry.send(path);
    expect(json.servers).toEqual([{ url: '/api/0.1' }, { url: '/api/0' }]);
  });

  it('is 304 while it is the same', async () => {
    const etag = String((await registry.send(path)).headers.get('etag'));
    expect(etag).toMatch(/^"[^"]+"$/);
    const again = await registry.send(path, { headers: { 'If-None-Match': `"x", ${etag}` } });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await registry.send(path, { headers: { 'If-None-Match': '"x"' } })).status).toBe(200);
  });

  it('names the methods of every path that OPTIONS of it allows', async () => {
    const described = Object.entries<PathItemObject>((await registry.send(path)).json.paths);
    expect(described.some(([template]) => template.startsWith('/log/'))).toBe(log === 'with one');
    for (const [template, item] of described) {
      const prefix = item.servers === undefined ? path.replace('/openapi.json', '') : '';
      const asked = prefix + template.replace('{id}', '0'.repeat(32)).replace('{tilePath}', '0/000');
      const { status, headers } = await registry.send(asked, { method: 'OPTIONS' });
      const methods = METHODS.filter((method) => method.toLowerCase() in item).join(', ');
      expect([asked, status, headers.get('allow')]).toEqual([asked, 204, methods]);
    }
  });
});

it('names servers below PUBLIC_URL if that is set', async () => {
  await TestRegistry.during(sqlite, { PUBLIC_URL: 'https://registry.example/r' }, async (registry) => {
    const { json } = await registry.send('/api/0.1/openapi.json');
    expect(json.servers[0]).toEqual({ url: 'https://registry.example/r/api/0.1' });
  });
});

describe('an answer that is not as the document says is found on SQLite', () => {
  let described: AnswerValidator;
  let sound: ObservedAnswer;

  beforeAll(async () => {
    await TestRegistry.during(sqlite, {}, async (registry) => {
      described = new AnswerValidator((await registry.send('/api/0.1/openapi.json')).json);
      const path = `/api/0.1/assets/${(await create(registry)).id}`;
      const { status, headers, text } = await registry.send(path);
      sound = { method: 'GET', path, status, headers: new Map(headers), text };
    });
  });

  it.each([
    ['takes', { data: { title: 'x' }, access: null, more: 1 }, 0],
    ['does not take', { data: { title: 5 } }, 1],
  ])('by a request that the service took and the document %s', (_, sent, faults) => {
    expect(faultsWith({ method: 'PATCH', sent: JSON.stringify(sent) })).toHaveLength(faults);
  });

  const withBody = (change: (data: Record<string, unknown>) => void): string => {
    const body = JSON.parse(sound.text) as { data: Record<string, unknown> };
    change(body.data);
    return JSON.stringify(body);
  };
  const faultsWith = (other: Partial<ObservedAnswer>): string[] => described.faultsOf({ ...sound, ...other });
  const headersWith = (name: string, value: string): Map<string, string> => new Map([...sound.headers, [name, value]]);

  it('and a sound one is not', () => {
    expect(faultsWith({})).toEqual([]);
  });

  it.each([
    ['a status', () => ({ status: 202 }), /^status 202/],
    ['an unknown member', () => ({ text: withBody((data) => (data['tokenDigest'] = 'x')) }), /additional properties/],
    ['a weak ETag', () => ({ headers: headersWith('etag', 'W/"1"') }), /^header ETag/],
    ['another header', () => ({ headers: headersWith('x-powered-by', 'x') }), /^a header x-powered-by/],
    ['a body of HEAD', () => ({ method: 'HEAD' }), /^a body/],
    ['an unknown path', () => ({ path: `${sound.path}/` }), /^status 200/],
  ])('by %s', (_, other, fault) => {
    expect(faultsWith(other()).join('; ')).toMatch(fault);
  });
});
