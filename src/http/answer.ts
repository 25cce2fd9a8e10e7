import { finished, pipeline, type Readable } from 'node:stream';
import { type AnyText, type Bytes, bytesOf } from '../platform/text/encoded-text.js';
import { logCut } from './cut-connection.js';
import { codingFor, CompressedBodies, compressing, contentDigest } from './encoding.js';
import { EventStream, type EventStreamAnswer } from './event-stream.js';
import { isRead, type RegistryRequest, type RegistryResponse } from './request.js';
import { indentJson } from './json-text.js';
import { QUERY_PARAMETERS } from './query-parameters.js';
import { isNoneMatch, requestIdOf } from './request-head.js';
import { targetOf } from './request-target.js';

/** What a handler returns: a status, the JSON text (or none) and headers. */
export class Answer {
  constructor(
    readonly status: number,
    readonly text: AnyText | undefined,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** An answer with an ETag, which is weak because it is the same in every content coding. A client that knows it is answered 304. */
export class TaggedAnswer extends Answer {
  /** @param digest identifies the content, where that costs less than hashing all of its bytes */
  constructor(
    text: AnyText,
    headers: Readonly<Record<string, string>>,
    readonly digest?: string,
  ) {
    super(200, text, headers);
  }
}

/** An answer that is not JSON: a page for people, or a file that belongs to one. */
export class PageAnswer {
  constructor(
    readonly status: number,
    /** Undefined where there is nothing to send, as in a 304. */
    readonly body: Buffer | undefined,
    readonly mediaType: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** A page with a weak ETag, as TaggedAnswer has. */
export class TaggedPage extends PageAnswer {
  constructor(
    override readonly body: Buffer,
    mediaType: string,
    headers: Readonly<Record<string, string>>,
    /** The same for pages that say the same. */
    readonly digest = contentDigest(body),
  ) {
    super(200, body, mediaType, headers);
  }
}

/** An answer that is too large for the memory: it is sent as it is read, and cut off where reading fails. */
export class StreamedAnswer {
  constructor(
    readonly status: number,
    readonly stream: Readable,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}

/** Headers of every answer, from any layer. Source: contract section 9. */
export const COMMON_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Accept-Ranges, Backoff, Content-Location, Content-Range, Dry-Run, ETag, Feed-Epoch, Feed-Offset, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Truncated, X-Request-ID',
} as const;

/** The default for caches: none may give an old answer without asking. */
export const ASK_FIRST = { 'Cache-Control': 'no-cache' } as const;

const COMMON = Object.entries(COMMON_HEADERS).flat();

/** Node's code of a pipeline whose last stream, the response, was closed by the client. */
const CLIENT_GONE = 'ERR_STREAM_PREMATURE_CLOSE';

const compressed = new CompressedBodies();

/** Writes `answer` as it stands: no charset, no second ETag, nothing that Express would add. */
export function writeAnswer(response: RegistryResponse, answer: Answer): void {
  const { status, text, headers } = answer;
  if (text === undefined) {
    end(response, status, headOf(response, headers));
    return;
  }
  const isIndented = QUERY_PARAMETERS.opt_pretty.read(targetOf(response.req).query);
  const body = bytesOf(isIndented ? indentJson(text.toString()) : text);
  const digest = answer instanceof TaggedAnswer ? (answer.digest ?? contentDigest(body)) : undefined;
  send(response, answer, { body, mediaType: 'application/json', digest });
}

/** Writes `answer` as it stands. */
export function writePage(response: RegistryResponse, answer: PageAnswer): void {
  const { status, body, mediaType, headers } = answer;
  if (body === undefined) end(response, status, headOf(response, headers));
  else
    send(response, answer, {
      body,
      mediaType,
      digest: answer instanceof TaggedPage ? answer.digest : undefined,
    });
}

interface Content {
  body: Bytes;
  mediaType: string;
  /** Undefined where it has no weak ETag. */
  digest: string | undefined;
}

function send(
  response: RegistryResponse,
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  { body, mediaType, digest }: Content,
): void {
  const { req } = response;
  const all = headOf(response, headers);
  // The work is the same when the client knows the answer, or is sent fewer bytes.
  const { length } = body;
  response.worked?.(length);
  if (digest !== undefined) {
    const tag = `"${digest}"`;
    all.push('ETag', `W/${tag}`);
    if (isNoneMatch(req.headers['if-none-match'], tag)) {
      end(response, 304, all);
      return;
    }
  }
  all.push('Content-Type', mediaType);
  // An answer that may not be stored holds a secret.
  const coding = isRead(req) && headers['Cache-Control'] !== 'no-store' ? codingFor(req, { length }) : undefined;
  if (coding === undefined) {
    end(response, status, all, body);
    return;
  }
  void compressed.read(body, coding).then((bytes) => {
    if (bytes !== undefined) all.push('Content-Encoding', coding);
    end(response, status, all, bytes ?? body);
  });
}

function end(response: RegistryResponse, status: number, head: string[], body?: Bytes): void {
  if (body !== undefined) head.push('Content-Length', String(body.length));
  if (response.req.complete) finish(response, status, head, body);
  else {
    // The body may have come with the head, and is read in this round of the event loop.
    setImmediate(() => finish(response, status, head, body));
  }
  response.whenAnswered?.();
}

/**
 * Answers a client at once that still sends a body. The connection ends when the body does, or its time is over, because the client could lose
 * the answer if it were closed before.
 */
function finish(response: RegistryResponse, status: number, head: string[], body: Bytes = ''): void {
  const { req } = response;
  if (!req.complete) response.shouldKeepAlive = false;
  response.writeHead(status, head);
  // Node leaves out the bytes for HEAD by itself, and sends them together with the head.
  if (req.complete) {
    response.end(body, 'latin1');
    return;
  }
  response.write(body, 'latin1');
  finished(req.resume(), () => response.end());
}

/** Leaves out the headers that describe a body. */
function withoutContent(headers: Answer['headers']): Answer['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('Content-')));
}

/** Of a response whose end many wait for, streams of Node too: at eleven Node would take them for a leak, and warn. */
const MAX_LISTENERS = 20;

/** Sends `answer` as fast as the client takes it. A file that is compressed already goes as it is. */
export function streamAnswer(response: RegistryResponse, { status, stream, headers }: StreamedAnswer): void {
  const isText = headers['Content-Type']?.startsWith('text/') === true;
  const coding = isText ? codingFor(response.req, { length: Infinity }) : undefined;
  const tag = headers['ETag']?.replace(/^W\//, '');
  if (tag !== undefined && isNoneMatch(response.req.headers['if-none-match'], tag)) {
    stream.destroy();
    end(response, 304, headOf(response, withoutContent(headers)));
    return;
  }
  const head = headOf(response, headers);
  if (coding !== undefined) head.push('Content-Encoding', coding);
  response.writeHead(status, head);
  // Sending to a client that has disconnected would throw, and leave the stream open.
  if (response.req.method === 'HEAD' || response.destroyed) {
    stream.destroy();
    response.end();
  } else {
    stream.on('data', ({ length }: Buffer) => response.worked?.(length));
    const address = response.socket?.remoteAddress;
    response.setMaxListeners(MAX_LISTENERS);
    // When one of the streams fails, the others are destroyed too, so that the client sees that the end is missing.
    pipeline([stream, ...(coding === undefined ? [] : [compressing(coding)]), response], (error) => {
      if (stream.destroyed && !stream.readableEnded && error?.code !== CLIENT_GONE)
        logCut(address, 'an answer that had begun could not be completed');
    });
  }
  response.whenAnswered?.();
}

/** Sends the head, and leaves the rest to `answer`. */
export function openStream(response: RegistryResponse, { status, headers, begin }: EventStreamAnswer): void {
  response.writeHead(status, headOf(response, headers));
  if (response.req.method === 'HEAD') response.end();
  else {
    response.flushHeaders();
    begin(new EventStream(response));
  }
  response.whenAnswered?.();
}

/** A list of names and values, because an object for each answer would cost as much as all of Node's work on it. */
function headOf(response: RegistryResponse, headers: Readonly<Record<string, string>>): string[] {
  const all = [...COMMON, 'X-Request-ID', requestIdOf(response.req)];
  if (headers['Cache-Control'] === undefined) all.push('Cache-Control', ASK_FIRST['Cache-Control']);
  for (const name of Object.keys(headers)) if (name !== 'Vary') all.push(name, headers[name] as string);
  const vary = varyOf(response.req, headers['Vary']);
  if (vary !== undefined) all.push('Vary', vary);
  return all;
}

/** A read depends on Accept-Encoding, compressed or not. @param other what else the answer depends on */
function varyOf(request: RegistryRequest, other: string | undefined): string | undefined {
  if (!isRead(request)) return other;
  return other === undefined ? 'Accept-Encoding' : `${other}, Accept-Encoding`;
}
