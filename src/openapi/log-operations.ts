import type { ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import { READ_PARAMETERS } from '../http/query-parameters.js';
import { closed, ref, text } from './schema-parts.js';
import { headersOf } from './headers.js';
import type { Operation, Path } from './operation.js';
import type { ParameterName } from './parameters.js';
import { jsonResponse } from './responses.js';

const BASE64 = { ...text, pattern: '^[A-Za-z0-9+/]+={0,2}$' };

/** Schemas of the log of public states. */
export const LOG_SCHEMAS: Readonly<Record<string, SchemaObject>> = {
  LogPage: closed(
    {
      data: { type: 'array', items: ref('LogEntry') },
      size: { type: 'integer', minimum: 0, description: 'How many entries the newest checkpoint has' },
      next_page: closed({
        from: { type: 'integer', minimum: 0 },
        path: { ...text, pattern: '^/' },
        uri: { ...text, format: 'uri' },
      }),
      unlogged: {
        type: 'array',
        items: closed({ place: { type: 'integer', minimum: 0 }, dateModified: { ...text, format: 'date-time' } }),
        description: 'What is told of assets beside entries, and no entry is of: somebody has changed the database',
      },
    },
    ['unlogged'],
  ),
  LogEntry: closed({
    place: { type: 'integer', minimum: 0 },
    entry: { ...text, description: 'Its text, which its hash is made of' },
    opening: {
      anyOf: [ref('LogOpening'), { type: 'null' }],
      description: 'Null where it is not as it was kept any more',
    },
    asset: {
      anyOf: [ref('Asset'), { type: 'null' }],
      description: 'The public state; null where it is not as it was kept any more',
    },
  }),
  LogOpening: {
    anyOf: [
      closed({ secret: BASE64 }),
      closed({
        secrets: { type: 'array', items: BASE64, description: 'Of what is left, in order' },
        erased: {
          type: 'object',
          additionalProperties: BASE64,
          description: 'The digests of what is gone, by pointers (RFC 6901)',
        },
      }),
    ],
    description: 'What shows that the state is the one that was recorded',
  },
};

/** Where no key is set, none of them is there. */
export const LOG_PATHS: Readonly<Record<string, Path>> = {
  ...pathsOfLog('/log/{epoch}', ['epoch'], {
    named: 'LogOfEpoch',
    which: 'of an epoch of the feed',
    tiles: 'It never changes',
  }),
  ...pathsOfLog('/log', [], { named: 'Log', which: 'of the present epoch', tiles: 'It changes with the epoch alone' }),
};

interface LogWords {
  /** End of each operation's id. */
  named: string;
  which: string;
  tiles: string;
}

function pathsOfLog(
  base: string,
  parameters: ParameterName[],
  { named, which, tiles }: LogWords,
): Record<string, Path> {
  return {
    [`${base}/checkpoint`]: pathOfLog(parameters, {
      id: `readCheckpointOf${named}`,
      summary: `How far the log of public states ${which} goes, signed (C2SP tlog-checkpoint)`,
      parameters: [],
      successes: { 200: textResponse('A signed note') },
      errors: ['actionNotFound'],
    }),
    [`${base}/tile/{tilePath}`]: pathOfLog([...parameters, 'tilePath'], {
      id: `readTileOf${named}`,
      summary: `Hashes of the log ${which}, or with "entries" in the place of a level its entries (C2SP tlog-tiles)`,
      parameters: [],
      successes: {
        200: {
          description: tiles,
          headers: headersOf([]),
          content: { 'application/octet-stream': { schema: { contentMediaType: 'application/octet-stream' } } },
        },
      },
      errors: ['actionNotFound'],
    }),
    [`${base}/assets`]: pathOfLog(parameters, {
      id: `read${named}`,
      summary: `Entries of the log ${which} in their order, with the public states that they bind`,
      parameters: ['log_from', ...READ_PARAMETERS['log/assets']],
      successes: { 200: jsonResponse('A page; an empty one is the end', ref('LogPage')) },
      errors: ['actionNotFound'],
    }),
  };
}

/** Whether a path is there with the log alone. */
export function isOfLog(template: string): boolean {
  return template in LOG_PATHS || template === '/assets/{id}/proof';
}

/** The proof that the log has the state of an asset. */
export function proveState(): Operation {
  return {
    id: 'proveState',
    summary:
      'A proof that a public state is in the log (C2SP tlog-proof); with its entry and opening as "extra". /check-proof.py of the service checks it',
    parameters: READ_PARAMETERS['assets/:id/proof'],
    successes: { 200: textResponse('The proof') },
    errors: ['assetNotFound', 'actionNotFound'],
  };
}

function pathOfLog(parameters: ParameterName[], get: Operation): Path {
  return { tag: 'log', isOfApi: true, methods: { get }, parameters };
}

function textResponse(description: string): ResponseObject {
  return { description, headers: headersOf([]), content: { 'text/plain; charset=utf-8': { schema: text } } };
}
