import type { InfoObject, OpenAPIObject, PathItemObject, SecuritySchemeObject, TagObject } from 'openapi3-ts/oas31';
import type { AssetType } from '../asset-types/asset-type.js';
import { API_PREFIXES } from '../http/api-paths.js';
import { ERROR_EXAMPLES } from './error-examples.js';
import { HEADERS } from './headers.js';
import { isOfLog } from './log-operations.js';
import { pathsOf } from './operations.js';
import { PARAMETERS } from './parameters.js';
import { pathItemOf } from './paths.js';
import { responsesOf } from './responses.js';
import { schemasFor } from './schemas.js';
import { SharedResponses } from './shared-responses.js';

const DESCRIPTION = `A public registry of assets with a change feed that loses nothing.

\`/api/0\` answers as \`/api/0.1\` does. Every answer of 400 and above has the body \`Error\`; any method and path that is not described here is 404.
Labels in Ukrainian stand in \`x-label-uk\`, those of states in \`x-states\` and those of values in \`x-choices\`.`;

const INFO: InfoObject = {
  title: 'Asset registry',
  version: '0.1',
  description: DESCRIPTION,
  license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
};

const TAGS: TagObject[] = [
  { name: 'assets', description: 'Reading, finding, creating and changing assets' },
  { name: 'copies', description: 'For those who keep a copy of the registry' },
  { name: 'log', description: 'The log of public states, and proofs of what is in it' },
  { name: 'service', description: 'The service about itself' },
  { name: 'health', description: 'For supervisors and load balancers' },
];

const SECURITY_SCHEMES: Record<string, SecuritySchemeObject> = {
  basic: { type: 'http', scheme: 'basic', description: 'The API key is the user name; the password is ignored' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The API key' },
};

/**
 * The OpenAPI 3.1 document of a service with these asset types.
 * @param base where the service is, without a slash at its end; empty for the place that the document came from
 * @param hasLog whether there is a log of public states
 */
export function openApiDocument(types: readonly AssetType[], base: string, hasLog = true): OpenAPIObject {
  const outside = [{ url: base === '' ? '/' : base }];
  const shared = new SharedResponses();
  const described = Object.entries(pathsOf(types, base)).filter(([template]) => hasLog || !isOfLog(template));
  const paths = described.map(([template, path]) => [template, shared.of(pathItemOf(path, outside))]);
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: API_PREFIXES.map((prefix) => ({ url: `${base}/${prefix}` })),
    tags: TAGS,
    paths: Object.fromEntries(paths) as Record<string, PathItemObject>,
    // Requests for which OpenAPI has no place: a method or a path that is none of those above.
    'x-other-requests': {
      responses: shared.share(
        responsesOf({}, ['actionNotFound', 'malformedHeader'], { isOfApi: true, isLimited: true }),
      ),
    },
    components: {
      schemas: schemasFor(types),
      responses: shared.responses,
      examples: Object.fromEntries(
        Object.entries(ERROR_EXAMPLES).map(([name, error]) => [name, { value: JSON.parse(error.body()) as unknown }]),
      ),
      headers: { ...HEADERS },
      parameters: { ...PARAMETERS },
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}
