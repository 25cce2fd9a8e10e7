import type { INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { OperationObject, PathsObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import { API_PREFIXES } from '../http/api-paths.js';
import { PagesModule } from '../pages/pages.module.js';
import { headersOf } from './headers.js';
import { type Operations, pathItemOf } from './paths.js';
import { responsesOf } from './responses.js';
import { SOURCE } from './source.js';

/** Endpoints that openapi.yaml does not describe, from @nestjs/swagger. */
export interface Endpoints {
  paths: PathsObject;
  schemas: Record<string, SchemaObject>;
}

/**
 * Finds the endpoints of teams: all except those in openapi.yaml and the HTML pages. Returns none if @nestjs/swagger is not installed; a team
 * that describes endpoints with its decorators installs it.
 */
export async function findEndpoints(app: INestApplication): Promise<Endpoints> {
  const swagger = await loadSwagger();
  if (swagger === undefined) return { paths: {}, schemas: {} };
  const { DocumentBuilder, SwaggerModule } = swagger;
  const modules = [...app.get(ModulesContainer).values()].map(({ metatype }) => metatype);
  const { paths, components } = SwaggerModule.createDocument(
    app,
    new DocumentBuilder().setOpenAPIVersion(SOURCE.openapi).build(),
    { include: modules.filter((module) => module !== PagesModule), operationIdFactory },
  );
  const found = Object.entries(paths as PathsObject).filter(([path]) => !(templateOf(path) in SOURCE.paths));
  return { paths: Object.fromEntries(found), schemas: (components?.schemas ?? {}) as Record<string, SchemaObject> };
}

/** Loads the library only on demand, because that takes a quarter of a second. */
async function loadSwagger(): Promise<typeof import('@nestjs/swagger') | undefined> {
  try {
    return await import('@nestjs/swagger');
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Adds to teams' endpoints what applies to every request. @param base URL of the service @param taken schemas whose names are in use */
export function completeEndpoints(
  endpoints: Endpoints,
  base: string,
  taken: Readonly<Record<string, SchemaObject>>,
): Endpoints {
  const { paths, schemas } = renamed(endpoints, taken);
  const complete = Object.entries(paths).map(([path, item]) => {
    const template = templateOf(path);
    const outside = template === path ? [{ url: base === '' ? '/' : base }] : undefined;
    const operations = Object.entries(item as Operations).map(([method, operation]) => [
      method,
      completed(operation, outside === undefined),
    ]);
    return [template, pathItemOf(Object.fromEntries(operations) as Operations, [], outside)];
  });
  return { paths: Object.fromEntries(complete) as PathsObject, schemas };
}

function completed(operation: OperationObject, isOfApi: boolean): OperationObject {
  const described = Object.entries(operation.responses as Record<string, ResponseObject>).map(([status, response]) => [
    status,
    { ...response, headers: { ...headersOf([]), ...response.headers } },
  ]);
  const { summary = operation.operationId, security = [] } = operation;
  const responses = responsesOf(Object.fromEntries(described), [], { isOfApi, isLimited: isOfApi });
  return { ...operation, summary, security, responses };
}

/** The path below either prefix of the API; other paths unchanged. */
function templateOf(path: string): string {
  const prefix = API_PREFIXES.find((each) => path.startsWith(`/${each}/`));
  return prefix === undefined ? path : path.slice(prefix.length + 1);
}

/** Names an operation the same under both prefixes, which Nest's scan numbers. */
function operationIdFactory(controller: string, method: string): string {
  return `${controller}_${method.replace(/\[\d+\]$/, '')}`;
}

/** Renames schemas whose name is in use, such as that of an asset type's DTO. */
function renamed(endpoints: Endpoints, taken: Readonly<Record<string, SchemaObject>>): Endpoints {
  const clashing = Object.keys(endpoints.schemas).filter((name) => Object.hasOwn(taken, name));
  const text = clashing.reduce(
    (all, name) => all.replaceAll(`"#/components/schemas/${name}"`, `"#/components/schemas/${name}OfEndpoints"`),
    JSON.stringify(endpoints),
  );
  const { paths, schemas } = JSON.parse(text) as Endpoints;
  const named = Object.entries(schemas).map(([name, schema]) => [
    clashing.includes(name) ? `${name}OfEndpoints` : name,
    schema,
  ]);
  return { paths, schemas: Object.fromEntries(named) as Endpoints['schemas'] };
}
