import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type {
  MediaTypeObject,
  OpenAPIObject,
  OperationObject,
  ReferenceObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import { openApiText } from '../../scripts/openapi-text.js';
import { AppModule } from '../app.module.js';
import { ID_SCHEMA } from '../asset-types/fields.js';
import { LOT_SCHEMA } from '../asset-types/service-fields.js';
import * as installed from '../asset-types/installed.js';
import { MAX_MEMBERS } from '../assets/group-change.js';
import { MAX_ENTRIES } from '../http/query-parameters.js';
import { newLogKey } from '../log/log-keys.js';
import { loadConfig } from '../platform/config/config.js';
import { MAX_NAME, MAX_FAULTS } from '../platform/errors/api-error.js';
import * as catalogue from '../platform/errors/errors.js';
import { RegistryAdapter } from '../http/registry-adapter.js';
import { openApiDocument } from './document.js';
import { findEndpoints } from './team-endpoints.js';

const METHODS = ['get', 'head', 'post', 'patch', 'options'] as const;
const types = Object.values(installed);
const document = openApiDocument(types, { base: '' });
const operations = operationsOf(document);

function operationsOf({ paths = {} }: OpenAPIObject): (readonly [string, OperationObject])[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) =>
      item[method] === undefined ? [] : [[`${method.toUpperCase()} ${path}`, item[method]]],
    ),
  );
}

function resolved<T extends object>(found: T | ReferenceObject): T {
  if (!('$ref' in found)) return found;
  const names = found.$ref.split('/').slice(1);
  return names.reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document) as T;
}

const contentsOf = ({ content = {} }: { content?: Record<string, MediaTypeObject> }): MediaTypeObject[] =>
  Object.values(content);

describe('the OpenAPI document', () => {
  it.each([
    ['GET /assets/search', 100],
    ['GET /assets/search.csv', 100_000],
    ['GET /assets/search.xlsx', 100_000],
  ])('%s has %i hits without a limit', (name, most) => {
    const { parameters = [] } = new Map(operations).get(name) as OperationObject;
    expect(parameters.map(resolved)).toContainEqual(
      expect.objectContaining({ name: 'limit', schema: { type: 'integer', minimum: 1, default: most } }),
    );
  });

  it('has the same numbers as the code', () => {
    const has = (name: string, words: object): void =>
      expect([name, JSON.stringify(document.components?.schemas?.[name])]).toEqual([
        name,
        expect.stringContaining(JSON.stringify(words).slice(1, -1)),
      ]);
    for (const page of ['Page', 'SearchPage', 'HistoryPage']) has(page, { maxItems: MAX_ENTRIES });
    for (const group of ['GroupChange', 'GroupAnswer']) has(group, { maxItems: MAX_MEMBERS });
    has('Error', { maxItems: MAX_FAULTS });
    has('Error', { maxLength: MAX_NAME });
    for (const entry of ['HistoryEntry', 'GroupMember']) has(entry, { pattern: LOT_SCHEMA.pattern });
    expect(document.components?.parameters?.['id']).toMatchObject({ schema: ID_SCHEMA });
  });

  it('is valid, of version 3.1', async () => {
    const { valid, errors } = await new Validator().validate({ ...structuredClone(document) });
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it('has no broken references', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, $ref]) => $ref as string);
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter(($ref) => resolved({ $ref }) === undefined)).toEqual([]);
  });

  it('maps every schema of a discriminator, because generators would use the name of the schema as its value', () => {
    const chosen = Object.entries(document.components?.schemas ?? {}).filter(([, schema]) => 'discriminator' in schema);
    expect(chosen.map(([name]) => name)).toEqual(['NewAsset']);
    for (const [, { discriminator, oneOf = [] }] of chosen as [string, SchemaObject][]) {
      const named = oneOf.map((schema) => (schema as ReferenceObject).$ref);
      expect(new Set(Object.values(discriminator?.mapping ?? {}))).toEqual(new Set(named));
    }
  });

  it('names every operation differently', () => {
    const names = operations.map(([, { operationId }]) => operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it('summarises in plain text, because viewers do not render Markdown there', () => {
    expect(operations.filter(([, { summary }]) => summary?.includes('`'))).toEqual([]);
  });

  it('is up to date in the repository: if not, run "npm run openapi"', () => {
    // Not toBe(text): computing the difference of two long texts takes longer than all other tests.
    expect(readFileSync('openapi.json', 'utf8') === openApiText(types)).toBe(true);
  });

  it('uses PUBLIC_URL', () => {
    const { servers, paths: ofPublic } = openApiDocument(types, { base: 'https://registry.example/r' });
    expect(servers?.map(({ url }) => url)).toEqual([
      'https://registry.example/r/api/0.1',
      'https://registry.example/r/api/0',
    ]);
    expect(ofPublic?.['/health/live']?.servers).toEqual([{ url: 'https://registry.example/r' }]);
  });
});

describe('an asset with an erased required field', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...document }, 'openapi', false, false);
  const isValid = (name: string, data: unknown): boolean =>
    ajv.getSchema(`openapi#/components/schemas/${name}`)!(data) as boolean;

  const { responses } = new Map(operations).get('GET /assets/{id}') as OperationObject;
  const [{ examples }] = contentsOf(resolved<ResponseObject>(responses!['200'])) as [MediaTypeObject];
  const { value } = resolved(examples!['basic']!);
  const { title: _title, ...others } = value.data;
  const erased = {
    ...others,
    assetCustodian: { ...others.assetCustodian, contactPoint: {} },
    redacted: [{ pointer: '/title', reason: 'A court order', at: others.dateModified }],
  };

  it.each(['Asset', 'DryRunAsset', 'Entry'])('is an %s', (name) => {
    expect(isValid(name, erased)).toBe(true);
  });

  it('matches one kind of Asset if only optional fields were erased', () => {
    expect(isValid('Asset', { ...value.data, redacted: erased.redacted })).toBe(true);
  });

  it.each(['Asset', 'DryRunAsset', 'Entry'])('is not an %s without the mark of the erasure', (name) => {
    const { redacted: _redacted, ...untold } = erased;
    expect(isValid(name, untold)).toBe(false);
  });

  it.each(['Asset', 'DryRunAsset'])('is not an %s without the fields that the registry sets', (name) => {
    const { owner: _owner, ...ownerless } = erased;
    expect(isValid(name, ownerless)).toBe(false);
  });
});

describe('the errors in the document', () => {
  const responses = [
    ...operations.map(([, operation]) => operation.responses),
    (document['x-other-requests'] as OperationObject).responses,
  ].flatMap((all) => Object.entries(all ?? {}) as [string, ResponseObject | ReferenceObject][]);
  const answered = responses.flatMap(([status, response]) =>
    Number(status) < 400
      ? []
      : contentsOf(resolved(response)).flatMap(({ examples = {} }) =>
          Object.entries(examples).map(([name, example]) => ({ status, name, example })),
        ),
  );

  it('are exactly those of the catalogue', () => {
    const names = new Set(answered.map(({ name }) => name));
    expect([...names].toSorted()).toEqual(Object.keys(catalogue).toSorted());
    expect(Object.keys(document.components?.examples ?? {}).toSorted()).toEqual(Object.keys(catalogue).toSorted());
  });
});

describe('the examples in the document', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(document, 'openapi', false, false);

  const contents = operations.flatMap(([name, { requestBody, responses }]) => [
    ...(requestBody === undefined ? [] : contentsOf(resolved(requestBody)).map((content) => [name, content] as const)),
    ...Object.values(responses ?? {}).flatMap((response: ResponseObject | ReferenceObject) =>
      contentsOf(resolved(response)).map((content) => [name, content] as const),
    ),
  ]);

  it.each(contents.filter(([, { examples }]) => examples !== undefined))(
    'of %s are as their schemas say',
    (_, { schema, examples }) => {
      const isValid = ajv.getSchema(`openapi${(schema as ReferenceObject).$ref}`)!;
      for (const example of Object.values(examples ?? {})) {
        const valid = isValid(resolved(example).value);
        expect([valid, isValid.errors]).toEqual([true, null]);
      }
    },
  );
});

/** Pages for people are not part of the API. */
const OF_PAGES =
  /^\w+ \/(?:$|assets\/:name(?:\/history)?$|changes\.atom$|statistics$|accessibility$|about$|sitemap\.xml$|\.well-known\/|favicon\.ico$|robots\.txt$|check-proof\.py$|pages\/)/;

describe('the routes of the controllers', () => {
  const registered: string[] = [];
  let app: INestApplication;
  let folder: string;

  class RecordingAdapter extends RegistryAdapter {
    override get(...route: unknown[]): void {
      registered.push(`GET ${String(route[0])}`);
    }
    override post(...route: unknown[]): void {
      registered.push(`POST ${String(route[0])}`);
    }
    override patch(...route: unknown[]): void {
      registered.push(`PATCH ${String(route[0])}`);
    }
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'registry-routes-'));
    const url = `sqlite:${join(folder, 'never-opened.sqlite')}`;
    const config = loadConfig({ DATABASE_URL: url, LOG_KEY: newLogKey('registry.example/log') });
    app = await NestFactory.create(AppModule.with(config), new RecordingAdapter(), {
      logger: false,
      bodyParser: false,
    });
    await app.init();
  });

  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  it('match the document, under both prefixes', async () => {
    const whole = openApiDocument(types, { base: '', endpoints: await findEndpoints(app) });
    const described = operationsOf(whole).flatMap(([name]) => {
      // Derived from the other methods.
      if (/^(?:HEAD|OPTIONS) /.test(name)) return [];
      const [method, path = ''] = name.split(' ');
      const template = path.replace('{tilePath}', '*tilePath').replaceAll(/\{(\w+)\}/g, ':$1');
      const isOfApi = whole.paths?.[path]?.servers === undefined;
      return (isOfApi ? ['/api/0.1', '/api/0'] : ['']).map((prefix) => `${method} ${prefix}${template}`);
    });
    const ofApi = registered.filter((route) => !OF_PAGES.test(route));
    expect(ofApi.toSorted()).toEqual(described.toSorted());
  });
});
