import type { OpenAPIObject, PathItemObject } from 'openapi3-ts/oas31';
import type { AssetType } from '../asset-types/asset-type.js';
import { API_PREFIXES } from '../http/api-paths.js';
import { ERROR_EXAMPLES } from './error-examples.js';
import { examplesFor } from './examples.js';
import { HEADERS } from './headers.js';
import { completePath } from './operations.js';
import { PARAMETERS } from './parameters.js';
import { responsesOf } from './responses.js';
import { schemasFor } from './schemas.js';
import { SharedResponses } from './shared-responses.js';
import { SOURCE } from './source.js';
import { completeEndpoints, type Endpoints } from './team-endpoints.js';

/** Paths that a service without a log of public states does not have. */
const OF_LOG = /^\/log\/|\/proof$/;

export interface ServiceParts {
  /** Where the service is, without a slash at its end; empty for the place that the document came from. */
  base: string;
  hasLog?: boolean;
  /** What openapi.yaml does not have. */
  endpoints?: Endpoints;
}

/** The OpenAPI 3.1 document of a service with these asset types. */
export function openApiDocument(types: readonly AssetType[], parts: ServiceParts): OpenAPIObject {
  const { base, hasLog = true, endpoints = { paths: {}, schemas: {} } } = parts;
  const shared = new SharedResponses();
  const examples = examplesFor(types, base);
  const schemas = schemasFor(types);
  const added = completeEndpoints(endpoints, base, schemas);
  const described = Object.entries(SOURCE.paths).filter(([template]) => hasLog || !OF_LOG.test(template));
  const paths: [string, PathItemObject][] = [
    ...described.map(
      ([template, path]) => [template, completePath(template, path, base, examples)] satisfies [string, PathItemObject],
    ),
    ...Object.entries(added.paths),
  ];
  return {
    ...SOURCE,
    servers: API_PREFIXES.map((prefix) => ({ url: `${base}/${prefix}` })),
    paths: Object.fromEntries(paths.map(([template, item]) => [template, shared.of(item)])),
    // Requests for which OpenAPI has no place: a method or a path that is none of those above.
    'x-other-requests': {
      responses: shared.share(
        responsesOf({}, ['actionNotFound', 'malformedHeader'], { isOfApi: true, isLimited: true }),
      ),
    },
    components: {
      schemas: { ...schemas, ...added.schemas },
      responses: shared.responses,
      examples: Object.fromEntries(
        Object.entries(ERROR_EXAMPLES).map(([name, error]) => [name, { value: JSON.parse(error.body()) as unknown }]),
      ),
      headers: { ...HEADERS },
      parameters: { ...PARAMETERS },
      securitySchemes: SOURCE.components.securitySchemes,
    },
  };
}
