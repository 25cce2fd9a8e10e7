import { finished, pipeline, type Readable } from 'node:stream';
import { type AnyText, type Bytes, bytesOf } from '../platform/text/encoded-text.js';
import { logCut } from './cut-connection.js';
import { codingFor, CompressedBodies, compressionStream, contentDigest } from './encoding.js';
import { EventStream, type EventStreamAnswer } from './event-stream.js';
import { isRead, type RegistryRequest, type RegistryResponse } from './request.js';
import { indentJson } from './json-text.js';
import { QUERY_PARAMETERS } from './query-parameters.js';
import { isNoneMatch, requestIdOf } from './request-head.js';
import { targetOf } from './request-target.js';

/** A handler's result: status, JSON text (or undefined) and headers. */
export class Answer {
  constructor(
    readonly status: number,
    readonly text: AnyText | undefined,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** An answer with an ETag, weak because all content codings share it. A client that sends it back gets 304. */
export class TaggedAnswer extends Answer {
  /** @param digest identifies the content; without it the bytes are hashed */
  constructor(
    text: AnyText,
    headers: Readonly<Record<string, string>>,
    readonly digest?: string,
  ) {
    super(200, text, headers);
  }
}

/** An answer that is not JSON: an HTML page, or a file that one uses. */
export class PageAnswer {
  constructor(
    readonly status: number,
    /** Undefined if there is no body, as in a 304. */
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
    /** Equal for pages with equal content. */
    readonly digest = contentDigest(body),
  ) {
    super(200, body, mediaType, headers);
  }
}

/** An answer too large for memory: it is streamed, and the connection is cut if reading fails. */
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

/** The default: caches must revalidate an answer before they reuse it. */
export const REVALIDATE = { 'Cache-Control': 'no-cache' } as const;

const COMMON = Object.entries(COMMON_HEADERS).flat();

/** Node's error code if the client closed the response, the last stream of a pipeline. */
const CLIENT_GONE = 'ERR_STREAM_PREMATURE_CLOSE';

const compressed = new CompressedBodies();

/** Sends `answer` without what Express would add, such as a charset or a second ETag. */
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
  /** Undefined: no ETag. */
  digest: string | undefined;
}

function send(
  response: RegistryResponse,
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  { body, mediaType, digest }: Content,
): void {
  const { req } = response;
  const all = headOf(response, headers);
  // Charge for the whole body, because a 304 or compression saves no work.
  const { length } = body;
  response.chargeWork?.(length);
  if (digest !== undefined) {
    const tag = `"${digest}"`;
    all.push('ETag', `W/${tag}`);
    if (isNoneMatch(req.headers['if-none-match'], tag)) {
      end(response, 304, all);
      return;
    }
  }
  all.push('Content-Type', mediaType);
  // An answer with no-store contains a secret, which compression could leak (see encoding.ts).
  const coding = isRead(req) && headers['Cache-Control'] !== 'no-store' ? codingFor(req, { length }) : undefined;
  if (coding === undefined) {
    end(response, status, all, body);
    return;
  }
  void compressed.get(body, coding).then((bytes) => {
    if (bytes !== undefined) all.push('Content-Encoding', coding);
    end(response, status, all, bytes ?? body);
  });
}

function end(response: RegistryResponse, status: number, head: string[], body?: Bytes): void {
  if (body !== undefined) head.push('Content-Length', String(body.length));
  if (response.req.complete) finish(response, status, head, body);
  else {
    // The body may have arrived with the head; Node reads it in this round of the event loop.
    setImmediate(() => finish(response, status, head, body));
  }
  response.whenAnswered?.();
}

/**
 * Answers before the client has sent its whole body. The connection stays open until the body ends or times out: closed sooner, the client
 * could lose the answer.
 */
function finish(response: RegistryResponse, status: number, head: string[], body: Bytes = ''): void {
  const { req } = response;
  if (!req.complete) response.shouldKeepAlive = false;
  response.writeHead(status, head);
  // Node omits the bytes for HEAD, and otherwise sends them together with the head.
  if (req.complete) {
    response.end(body, 'latin1');
    return;
  }
  response.write(body, 'latin1');
  finished(req.resume(), () => response.end());
}

function withoutContent(headers: Answer['headers']): Answer['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('Content-')));
}

/** Many parts listen for the end of a response, Node's streams among them: at eleven listeners Node would warn of a leak. */
const MAX_LISTENERS = 20;

/** Streams `answer` at the client's pace. Only text is compressed on the way. */
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
    stream.on('data', ({ length }: Buffer) => response.chargeWork?.(length));
    const address = response.socket?.remoteAddress;
    response.setMaxListeners(MAX_LISTENERS);
    // If one stream fails, all are destroyed, so that the client notices the missing end.
    pipeline([stream, ...(coding === undefined ? [] : [compressionStream(coding)]), response], (error) => {
      if (stream.destroyed && !stream.readableEnded && error?.code !== CLIENT_GONE)
        logCut(address, 'an answer failed after it had begun');
    });
  }
  response.whenAnswered?.();
}

/** Sends the head, then lets `answer` write events. */
export function openStream(response: RegistryResponse, { status, headers, begin }: EventStreamAnswer): void {
  response.writeHead(status, headOf(response, headers));
  if (response.req.method === 'HEAD') response.end();
  else {
    response.flushHeaders();
    begin(new EventStream(response));
  }
  response.whenAnswered?.();
}

/** Headers as a flat list of names and values: an object for each answer would cost as much as all of Node's work on it. */
function headOf(response: RegistryResponse, headers: Readonly<Record<string, string>>): string[] {
  const all = [...COMMON, 'X-Request-ID', requestIdOf(response.req)];
  if (headers['Cache-Control'] === undefined) all.push('Cache-Control', REVALIDATE['Cache-Control']);
  for (const name of Object.keys(headers)) if (name !== 'Vary') all.push(name, headers[name] as string);
  const vary = varyOf(response.req, headers['Vary']);
  if (vary !== undefined) all.push('Vary', vary);
  return all;
}

/** Every read varies by Accept-Encoding, even if it is sent uncompressed. @param other further headers that the answer varies by */
function varyOf(request: RegistryRequest, other: string | undefined): string | undefined {
  if (!isRead(request)) return other;
  return other === undefined ? 'Accept-Encoding' : `${other}, Accept-Encoding`;
}
