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

/** Paths that exist only with a log of public states. */
const LOG_PATHS = /^\/log\/|\/proof$/;

export interface ServiceParts {
  /** URL of the service, without a trailing slash; empty: the URL from which the document was loaded. */
  base: string;
  hasLog?: boolean;
  /** Endpoints that openapi.yaml does not describe. */
  endpoints?: Endpoints;
}

/** The OpenAPI 3.1 document of a service with these asset types. */
export function openApiDocument(types: readonly AssetType[], parts: ServiceParts): OpenAPIObject {
  const { base, hasLog = true, endpoints = { paths: {}, schemas: {} } } = parts;
  const shared = new SharedResponses();
  const examples = examplesFor(types, base);
  const schemas = schemasFor(types);
  const added = completeEndpoints(endpoints, base, schemas);
  const described = Object.entries(SOURCE.paths).filter(([template]) => hasLog || !LOG_PATHS.test(template));
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
    // Requests that OpenAPI cannot describe: other methods and paths than those above.
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
