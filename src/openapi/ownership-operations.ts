import { codeExample, EXAMPLE_CODE } from './examples.js';
import type { ErrorName } from './error-examples.js';
import type { Operation } from './operation.js';
import { jsonResponse } from './responses.js';
import { ref } from './schema-parts.js';

const ERRORS: readonly ErrorName[] = [
  'mediaTypeRefused',
  'contentEncodingRefused',
  'keyRefused',
  'tooManyBytes',
  'roleMayNotTransfer',
  'bodyNotJson',
  'tooManyValues',
  'assetNotFound',
  'changeRefused',
  'clockInDoubt',
];

export function issueCode(): Operation {
  return {
    id: 'requestTransfer',
    summary: 'A code with which another broker takes the asset over; an earlier one is refused from then on',
    parameters: ['acc_token', 'xAccessToken'],
    body: { schema: ref('TransferRequest'), examples: { empty: { value: {} } } },
    bodyIsOptional: true,
    successes: {
      201: jsonResponse('The code, shown this once, and until when it is taken', ref('TransferAnswer'), {
        examples: { code: codeExample() },
      }),
    },
    errors: [...ERRORS, 'ownerTokenRefused'],
  };
}

/** @param answers by the name of the type */
export function takeOver(answers: Record<string, unknown>): Operation {
  const examples = { code: { value: { access: { transfer: EXAMPLE_CODE } } } };
  return {
    id: 'takeOver',
    summary: 'Makes an asset the own of the broker whose key it is; the code and the old owner token are used up',
    parameters: ['idempotencyKey'],
    body: { schema: ref('Takeover'), examples },
    successes: {
      200: jsonResponse('The asset, with its new owner token', ref('CreatedAnswer'), {
        headers: ['ETag'],
        examples: answers,
      }),
    },
    errors: [...ERRORS, 'malformedHeader', 'idempotencyKeyReused', 'transferCodeRefused'],
  };
}
