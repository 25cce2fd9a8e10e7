import {
  ApiError,
  type Fault,
  type FaultLocation,
  FieldsRefused,
  RepeatedParameter,
  UNAVAILABLE,
  UnavailableError,
  type UnavailableReason,
} from './api-error.js';

/*
 * The catalogue: every error that the registry answers, one small function each.
 * docs/errors.md lists them; a test compares the two in both directions. Source: contract section 8.
 */

function inHead(status: number, name: string, description: string, headers?: Record<string, string>): ApiError {
  return new ApiError(status, [{ location: 'header', name, description }], headers);
}

function inBody(status: number, name: string, description: string): ApiError {
  return new ApiError(status, [{ location: 'body', name, description }]);
}

/** Appends a hint for people, which may change, to the text that the contract defines. */
const withHelp = (text: string, help: string | undefined): string => (help === undefined ? text : `${text}: ${help}`);

export const malformedUrl = (): ApiError =>
  inHead(400, 'path', 'The URL is not well-formed: what is not ASCII, and a percent sign, are percent-encoded UTF-8');

export const malformedParameter = (name: string, rule: string): ApiError => inHead(400, name, rule);

export const repeatedParameter = (name: string): ApiError =>
  new RepeatedParameter(400, inHead(400, name, 'This parameter may be given once only').faults);

export const repeatedHeader = (name: string): ApiError => inHead(400, name, 'This header may be given once only');

export const malformedHeader = (name: string, rule: string): ApiError => inHead(400, name, rule);

export const malformedHost = (): ApiError =>
  inHead(400, 'Host', 'A Host header with a name and perhaps a port is required');

/** Closes the connection, because the end of the request is unknown and what follows cannot be parsed. */
export const malformedRequest = (): ApiError =>
  inHead(400, 'request', 'The request is not well-formed HTTP', { Connection: 'close' });

/** The same for every fault of a key, so that clients cannot find out whether it exists. Source: contract section 7. */
export const keyRefused = (): ApiError =>
  inHead(
    401,
    'Authorization',
    'A valid API key is required, as the user name of HTTP Basic or as a Bearer token: none came, or it is truncated ' +
      '(a whole one begins with ark_ and has 53 characters), unknown, expired or revoked',
    { 'WWW-Authenticate': 'Basic realm="registry"' },
  );

export const roleMayNotCreate = (): ApiError =>
  inHead(403, 'Authorization', 'The role of this key may not create assets');

export const roleMayNotTransfer = (): ApiError =>
  inHead(
    403,
    'Authorization',
    'The role of this key may not do this: owners and administrators give assets, brokers take them',
  );

/** For roles that need an owner token: only the others may change groups. Source: contract section 15. */
export const roleMayNotChangeGroups = (): ApiError =>
  inHead(403, 'Authorization', 'The role of this key may not change several assets as one');

/** `location` and `name` say where the wrong token was; without a token, the header X-Access-Token. */
export const ownerTokenRefused = (location: FaultLocation = 'header', name = 'X-Access-Token'): ApiError =>
  new ApiError(403, [
    { location, name, description: 'The owner token of this asset is required, with the key of its owner' },
  ]);

/** The same for every fault of a transfer code, so that clients cannot find out whether there is one. Source: contract section 13. */
export const transferCodeRefused = (): ApiError =>
  inBody(
    403,
    'access.transfer',
    'A transfer code of this asset is required, with the key of another broker than its owner: none came, or it is ' +
      'unknown, used, replaced or expired',
  );

/** @param help what this actor may do instead */
export const changeRefused = (status: string, help?: string): ApiError =>
  inBody(403, 'data', withHelp(`Can't update asset in current (${status}) status`, help));

/** @param help why the client may have sent other values than the stored ones */
export const fieldsNotWritable = (names: string[], help?: string): ApiError => {
  const description = withHelp('This field may not be set by this actor', help);
  return new FieldsRefused(
    403,
    names.map((name) => ({ location: 'body', name, description })),
  );
};

const NO_ACTION = 'There is no such action: see the method and the path';

/** @param methods that the path allows; undefined if there are none @param help which action the client may have meant */
export const actionNotFound = (methods?: string, help?: string): ApiError => {
  const description = [NO_ACTION, methods && `it takes ${methods}`, help].filter(Boolean).join('; ');
  return inHead(404, 'path', description, methods === undefined ? undefined : { Allow: methods });
};

/** @param help for a client that sent something other than an id */
export const assetNotFound = (help?: string): ApiError =>
  inHead(404, 'id', withHelp('There is no asset with this id', help));

export const tooSlow = (): ApiError =>
  inHead(408, 'request', 'The request was not received in time: its head within 10 s, the whole of it within 20 s', {
    Connection: 'close',
  });

export const anotherServer = (): ApiError =>
  inHead(412, 'Cookie', 'This request is for another server: repeat it with the cookie of this answer');

export const preconditionFailed = (): ApiError =>
  inHead(
    412,
    'If-Match',
    'The asset has another ETag: it has changed since, or this one is not as it was answered, with its quotes',
  );

/** @param maxBytes of a body; undefined if another part of it is too large */
export const bodyTooLarge = (maxBytes?: number): ApiError =>
  inBody(
    413,
    'data',
    withHelp(
      'The request body is too large',
      maxBytes === undefined ? undefined : `at most ${maxBytes} bytes are taken`,
    ),
  );

/** @param maxBytes of all assets of one request together */
export const groupTooLarge = (maxBytes: number): ApiError =>
  inBody(413, 'data', `The assets of one request take at most ${maxBytes} bytes together: send fewer of them`);

export const mediaTypeRefused = (): ApiError =>
  inHead(415, 'Content-Type', "Content-Type header should be one of ['application/json']");

export const contentEncodingRefused = (): ApiError =>
  inHead(415, 'Content-Encoding', 'The body must not be compressed: only identity is understood');

/** @param size of the whole file, in bytes */
export const rangeBeyondEnd = (size: number): ApiError =>
  inHead(416, 'Range', `The range begins behind the end: there are ${size} bytes`, {
    'Content-Range': `bytes */${size}`,
  });

/** Closes the connection, because the client may or may not send the body, so the next request could not be found. */
export const expectationRefused = (): ApiError =>
  inHead(417, 'Expect', 'Only 100-continue can be expected', { Connection: 'close' });

/** @param why it could not, with the position in the text */
export const bodyNotJson = (why?: string): ApiError =>
  inBody(422, 'data', withHelp('No JSON object could be decoded', why));

export const tooManyValues = (): ApiError =>
  inBody(422, 'data', 'The body has too much in it: at most 10,000 members of objects and 20,000 values are taken');

/** @param form of the required body */
export const dataMissing = (form = '{"data": {...}}'): ApiError =>
  inBody(422, 'data', `Data not available: ${form} is required`);

export const idempotencyKeyReused = (): ApiError =>
  inHead(422, 'Idempotency-Key', 'This key came with another request before');

export const assetTooLarge = (): ApiError => inBody(422, 'data', 'The fields of an asset take at most 1 MiB');

/** `faults` are paths of fields, each with its fault. */
export const fieldsInvalid = (faults: { name: string; description: string }[]): ApiError =>
  new FieldsRefused(
    422,
    faults.map((fault): Fault => ({ location: 'body', ...fault })),
  );

/** Refuses a change of a group of assets. @param faults of its members, each with the member's index in its name */
export const membersRefused = (status: number, faults: Fault[]): ApiError => new ApiError(status, faults);

/** A rate limit for the message: `kind` is `reads` or another unit. */
interface LimitDetails {
  kind: string;
  burst: number;
  perSecond: number;
}

export const tooManyRequests = (retrySeconds: number, { kind, burst, perSecond }: LimitDetails): ApiError =>
  inHead(
    429,
    'rate_limit',
    `Too many requests: try again later, in ${retrySeconds} s; ${burst} ${kind} at once and ${perSecond} a second are let through`,
    { 'Retry-After': String(retrySeconds) },
  );

/** @param maxBytes that the changes of one account may store per day */
export const tooManyBytes = (retrySeconds: number, maxBytes: number): ApiError =>
  inHead(
    429,
    'rate_limit',
    `This account has had ${maxBytes} bytes stored today, which is the limit of a day: try again in ${retrySeconds} s`,
    { 'Retry-After': String(retrySeconds) },
  );

export const headTooLarge = (): ApiError =>
  inHead(431, 'headers', 'The request line and headers are too large: at most 16 KiB and 99 header fields are taken');

export const serverDefect = (): ApiError =>
  inHead(500, 'server', 'The registry failed to answer; the defect has been logged');

/** @param reason for the log and the metrics; the client does not see it */
export const unavailable = (reason: UnavailableReason, description: string = UNAVAILABLE[reason]): UnavailableError =>
  new UnavailableError(reason, [{ location: 'header', name: 'server', description }], { 'Retry-After': '2' });

/** Nothing is written while the clock is in doubt, because a change with a wrong time would stay in the feed forever. */
export const clockInDoubt = (): ApiError => unavailable('clock_in_doubt');

/** @param failures of the parts that prevent the service from working, a sentence each */
export const notReady = (failures: string[]): ApiError =>
  new ApiError(
    503,
    failures.map((description) => ({ location: 'header', name: 'server', description })),
    { 'Retry-After': '2' },
  );
