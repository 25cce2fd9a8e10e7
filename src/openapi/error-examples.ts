import type { ApiError } from '../platform/errors/api-error.js';
import * as catalogue from '../platform/errors/errors.js';

/** The name of an error's function in the catalogue. */
export type ErrorName = keyof typeof catalogue;

/** An example of each error of the catalogue. */
export const ERROR_EXAMPLES: Readonly<Record<ErrorName, ApiError>> = {
  malformedUrl: catalogue.malformedUrl(),
  malformedParameter: catalogue.malformedParameter(
    'limit',
    'A whole number from 1 is required: at most 1000, and more counts as 1000',
  ),
  repeatedParameter: catalogue.repeatedParameter('offset'),
  repeatedHeader: catalogue.repeatedHeader('Authorization'),
  malformedHeader: catalogue.malformedHeader('Idempotency-Key', '1 to 128 visible ASCII characters are required'),
  malformedHost: catalogue.malformedHost(),
  malformedRequest: catalogue.malformedRequest(),
  keyRefused: catalogue.keyRefused(),
  roleMayNotCreate: catalogue.roleMayNotCreate(),
  roleMayNotTransfer: catalogue.roleMayNotTransfer(),
  roleMayNotChangeGroups: catalogue.roleMayNotChangeGroups(),
  ownerTokenRefused: catalogue.ownerTokenRefused(),
  transferCodeRefused: catalogue.transferCodeRefused(),
  changeRefused: catalogue.changeRefused('draft', 'from here the owner may move it to pending'),
  fieldsNotWritable: catalogue.fieldsNotWritable(['assetID', 'relatedLot']),
  actionNotFound: catalogue.actionNotFound('GET, HEAD, POST, OPTIONS'),
  assetNotFound: catalogue.assetNotFound(),
  tooSlow: catalogue.tooSlow(),
  anotherServer: catalogue.anotherServer(),
  preconditionFailed: catalogue.preconditionFailed(),
  bodyTooLarge: catalogue.bodyTooLarge(1_048_576),
  groupTooLarge: catalogue.groupTooLarge(2_097_152),
  mediaTypeRefused: catalogue.mediaTypeRefused(),
  contentEncodingRefused: catalogue.contentEncodingRefused(),
  rangeBeyondEnd: catalogue.rangeBeyondEnd(123_456),
  expectationRefused: catalogue.expectationRefused(),
  bodyNotJson: catalogue.bodyNotJson('a comma too many stands at line 3, column 27'),
  tooManyValues: catalogue.tooManyValues(),
  dataMissing: catalogue.dataMissing(),
  idempotencyKeyReused: catalogue.idempotencyKeyReused(),
  assetTooLarge: catalogue.assetTooLarge(),
  fieldsInvalid: catalogue.fieldsInvalid([
    { name: 'value.amount', description: 'A number is required' },
    { name: 'titel', description: 'Rogue field: did you mean title?' },
  ]),
  membersRefused: catalogue.membersRefused(404, [
    { location: 'body', name: 'data.3.id', description: 'There is no asset with this id' },
    { location: 'body', name: 'data.7.id', description: 'There is no asset with this id' },
  ]),
  tooManyRequests: catalogue.tooManyRequests(7, { kind: 'reads', burst: 200, perSecond: 50 }),
  tooManyBytes: catalogue.tooManyBytes(40_000, 1_073_741_824),
  headTooLarge: catalogue.headTooLarge(),
  serverDefect: catalogue.serverDefect(),
  unavailable: catalogue.unavailable('database_away'),
  clockInDoubt: catalogue.clockInDoubt(),
  notReady: catalogue.notReady(['database: is away']),
};
