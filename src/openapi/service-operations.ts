import { headersOf } from './headers.js';
import type { Operation, Path } from './operation.js';
import { jsonResponse } from './responses.js';
import { ref } from './schema-parts.js';

function describeService(): Operation {
  return {
    id: 'describeService',
    summary: 'What the service is and can do, for older clients',
    parameters: [],
    successes: { 200: jsonResponse('The description', ref('Spore')) },
    errors: [],
  };
}

function describeApi(): Operation {
  return {
    id: 'describeApi',
    summary: 'This document',
    parameters: ['ifNoneMatch'],
    successes: {
      200: jsonResponse('The document', ref('OpenApi'), { headers: ['ETag'] }),
      304: { description: 'Not modified', headers: headersOf(['ETag']) },
    },
    errors: [],
  };
}

function checkLiveness(): Operation {
  return {
    id: 'checkLiveness',
    summary: 'Whether the process answers',
    parameters: [],
    successes: { 200: jsonResponse('The process answers', ref('Live')) },
    errors: [],
  };
}

function checkReadiness(): Operation {
  return {
    id: 'checkReadiness',
    summary: 'Whether requests can be served, part by part',
    parameters: [],
    successes: { 200: jsonResponse('Requests can be served; `degraded` wants an operator', ref('Ready')) },
    errors: ['notReady'],
  };
}

/** What the service tells of itself. */
export const SERVICE_PATHS: Readonly<Record<string, Path>> = {
  '/spore': { tag: 'service', isOfApi: true, methods: { get: describeService() } },
  '/openapi.json': { tag: 'service', isOfApi: true, methods: { get: describeApi() } },
  '/health/live': { tag: 'health', isOfApi: false, methods: { get: checkLiveness() } },
  '/health/ready': { tag: 'health', isOfApi: false, methods: { get: checkReadiness() } },
};
