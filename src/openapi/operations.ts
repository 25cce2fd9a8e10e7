import type { MediaTypeObject, SecurityRequirementObject } from 'openapi3-ts/oas31';
import type { AssetType } from '../asset-types/asset-type.js';
import { READ_PARAMETERS } from '../http/query-parameters.js';
import {
  createdExample,
  eventsExample,
  examplesOf,
  type ExamplesOfType,
  GROUP_EXAMPLE,
  historyExample,
  pageExample,
} from './examples.js';
import type { ErrorName } from './error-examples.js';
import { searchAsCsv, sendSnapshot, sendSnapshotAsCsv } from './file-operations.js';
import { headersOf, optional } from './headers.js';
import { LOG_PATHS, proveState } from './log-operations.js';
import type { Operation, Path } from './operation.js';
import { issueCode, takeOver } from './ownership-operations.js';
import { jsonResponse } from './responses.js';
import { ref } from './schema-parts.js';
import { searchAssets, showStatistics } from './search-operations.js';
import { SERVICE_PATHS } from './service-operations.js';

/** Either of them. */
export const KEY: SecurityRequirementObject[] = [{ basic: [] }, { bearer: [] }];

const WRITE_ERRORS: readonly ErrorName[] = [
  'mediaTypeRefused',
  'contentEncodingRefused',
  'keyRefused',
  'tooManyBytes',
  'bodyNotJson',
  'tooManyValues',
  'dataMissing',
  'fieldsNotWritable',
  'assetTooLarge',
  'fieldsInvalid',
  'clockInDoubt',
];

/** Every path that the service answers, by its template. @param base of absolute links in examples */
export function pathsOf(types: readonly AssetType[], base: string): Readonly<Record<string, Path>> {
  const examples = new Map(types.map((type) => [type.name, examplesOf(type)]));
  const of = (which: (example: ExamplesOfType) => unknown): Record<string, unknown> =>
    Object.fromEntries([...examples].map(([name, example]) => [name, which(example)]));
  const shown = of(({ answered }) => answered);
  const withToken = of(createdExample);
  return {
    '/assets': {
      tag: 'assets',
      isOfApi: true,
      methods: {
        get: listAssets(base),
        post: createAsset(
          of(({ created }) => created),
          withToken,
        ),
        patch: changeSeveral(),
      },
    },
    '/assets/{id}': pathOfAsset({
      get: readAsset(shown),
      patch: changeAsset(
        of(({ patch }) => patch),
        shown,
      ),
    }),
    '/assets/{id}/history': pathOfAsset({ get: listHistory(base, shown) }),
    '/assets/{id}/proof': pathOfAsset({ get: proveState() }),
    '/assets/{id}/transfer': pathOfAsset({ post: issueCode() }),
    '/assets/{id}/ownership': pathOfAsset({ post: takeOver(withToken) }),
    '/assets/search': { tag: 'assets', isOfApi: true, methods: { get: searchAssets(base) } },
    ...PATHS_OF_ANY_TYPES,
  };
}

function pathOfAsset(methods: Path['methods']): Path {
  return { tag: 'assets', isOfApi: true, parameters: ['id'], methods };
}

function listAssets(base: string): Operation {
  const headers = ['WeakETag', 'Link', 'Feed-Epoch', 'Backoff'];
  const described = 'A page; or the feed as a stream of events where Accept puts text/event-stream above JSON';
  const shown = { headers: ['Feed-Epoch', 'Backoff', 'X-Accel-Buffering'], examples: { page: pageExample(base) } };
  const page = jsonResponse(described, ref('Page'), shown);
  const events = { schema: { type: 'string' }, example: eventsExample() } satisfies MediaTypeObject;
  return {
    id: 'listAssets',
    summary: 'The change feed: oldest change first, drafts left out; whoever follows next_page sees every change',
    parameters: [...READ_PARAMETERS.assets, 'ifNoneMatch', 'lastEventId'],
    successes: {
      200: {
        ...page,
        headers: { ...page.headers, ...optional(['WeakETag', 'Link']) },
        'x-other-content': { 'text/event-stream': events },
      },
      304: { description: 'Not modified', headers: headersOf(headers) },
    },
    errors: ['malformedHeader', 'unavailable'],
  };
}

function createAsset(bodies: Record<string, unknown>, answers: Record<string, unknown>): Operation {
  return {
    id: 'createAsset',
    summary: 'Creates an asset as a draft of the broker whose key it is',
    parameters: ['dry_run', 'idempotencyKey'],
    body: bodyOf('AssetCreation', bodies),
    successes: {
      200: jsonResponse('Of a dry run: the asset as it would be', ref('DryRunAnswer')),
      201: jsonResponse('The new asset, with its owner token', ref('CreatedAnswer'), {
        headers: ['Location', 'ETag'],
        examples: answers,
      }),
    },
    errors: [...WRITE_ERRORS, 'malformedHeader', 'roleMayNotCreate', 'idempotencyKeyReused'],
  };
}

function readAsset(answers: Record<string, unknown>): Operation {
  return {
    id: 'readAsset',
    summary: 'An asset; a draft too, for whoever has its id',
    parameters: [...READ_PARAMETERS['assets/:id'], 'ifNoneMatch'],
    successes: {
      200: jsonResponse('The asset', ref('AssetAnswer'), { headers: ['ETag'], examples: answers }),
      304: { description: 'Not modified', headers: headersOf(['ETag']) },
    },
    errors: ['assetNotFound'],
  };
}

function listHistory(base: string, shown: Record<string, unknown>): Operation {
  const page = jsonResponse(
    'A page of its states, with a weak ETag; with `at`, the asset as a GET answered it then, with its strong one and without Link',
    ref('HistoryAnswer'),
    { headers: ['AnyETag'], examples: { history: historyExample(base), ...shown } },
  );
  return {
    id: 'listHistory',
    summary: 'What an asset was: its public states, oldest first; with "at", the whole asset at that instant',
    parameters: [...READ_PARAMETERS['assets/:id/history'], 'ifNoneMatch'],
    successes: {
      200: { ...page, headers: { ...page.headers, ...optional(['Link']) } },
      304: { description: 'Not modified', headers: { ...headersOf(['AnyETag']), ...optional(['Link']) } },
    },
    errors: ['assetNotFound'],
  };
}

function changeAsset(bodies: Record<string, unknown>, answers: Record<string, unknown>): Operation {
  const changed = jsonResponse('The asset; of a dry run as it would be, without ETag', ref('ChangedAnswer'), {
    examples: answers,
  });
  return {
    id: 'changeAsset',
    summary: 'Changes an asset by JSON Merge Patch (RFC 7396); lists of items merge by id',
    parameters: ['dry_run', 'acc_token', 'xAccessToken', 'ifMatch'],
    body: bodyOf('AssetChange', bodies),
    successes: { 200: { ...changed, headers: { ...changed.headers, ...optional(['ETag']) } } },
    errors: [
      ...WRITE_ERRORS,
      'malformedHeader',
      'ownerTokenRefused',
      'changeRefused',
      'assetNotFound',
      'preconditionFailed',
    ],
  };
}

function changeSeveral(): Operation {
  return {
    id: 'changeAssets',
    summary: 'Changes up to 500 assets as one, all or none of them: for a concierge or an administrator',
    parameters: ['dry_run'],
    body: bodyOf('GroupChange', { linked: GROUP_EXAMPLE }),
    successes: { 200: jsonResponse('The assets, in the order sent', ref('GroupAnswer')) },
    errors: [
      ...WRITE_ERRORS,
      'malformedHeader',
      'roleMayNotChangeGroups',
      'changeRefused',
      'membersRefused',
      'groupTooLarge',
    ],
  };
}

function digestFeed(): Operation {
  return {
    id: 'digestFeed',
    summary: 'Count and digest of a range of the feed, by which a copy knows that it is complete',
    parameters: READ_PARAMETERS['assets/digest'],
    successes: { 200: jsonResponse('The count and the digest', ref('DigestAnswer'), { headers: ['Feed-Epoch'] }) },
    errors: [],
  };
}

function bodyOf(schema: string, examples: Record<string, unknown>): MediaTypeObject {
  const told = Object.entries(examples).map(([name, value]) => [name, { value }]);
  return { schema: ref(schema), examples: Object.fromEntries(told) };
}

/** Those that do not depend on the installed types. */
const PATHS_OF_ANY_TYPES: Readonly<Record<string, Path>> = {
  '/assets/search.csv': { tag: 'assets', isOfApi: true, methods: { get: searchAsCsv() } },
  '/assets/snapshot.jsonl.gz': { tag: 'copies', isOfApi: true, methods: { get: sendSnapshot() } },
  '/assets/snapshot.csv.gz': { tag: 'copies', isOfApi: true, methods: { get: sendSnapshotAsCsv() } },
  '/statistics': { tag: 'assets', isOfApi: true, methods: { get: showStatistics() } },
  '/assets/digest': { tag: 'copies', isOfApi: true, methods: { get: digestFeed() } },
  ...LOG_PATHS,
  ...SERVICE_PATHS,
};
