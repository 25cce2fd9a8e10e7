import { connect } from 'node:net';
import { observeRawAnswer } from './observed-answers.js';
import { decoded } from './content-coding.js';

/** One answer, as received over a socket. */
export interface RawReply {
  status: number;
  /** Names in lower case. */
  headers: Map<string, string>;
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of many shapes
  json: any;
}

/** A request's head, ended by an empty line. */
export function head(...lines: string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/**
 * Sends bytes that no HTTP client would send, and reads until the service closes the connection: the last request says `Connection: close`, or is
 * one
 * at which the service closes.
 * @param halfClose ends our side after the bytes
 * @param endAfterMs ends our side after this time without data
 */
export function exchange(
  url: string,
  bytes: string | Buffer,
  { halfClose = false, endAfterMs = 0 } = {},
): Promise<RawReply[]> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      if (halfClose) socket.end(bytes);
      else socket.write(bytes);
    });
    socket.setTimeout(endAfterMs, () => socket.end());
    socket.on('data', (chunk) => chunks.push(chunk));
    // After its answer the service may reset a connection on which bytes still arrive.
    socket.on('error', (error) => (chunks.length === 0 ? reject(error) : undefined));
    socket.on('close', () => resolve(parseReplies(Buffer.concat(chunks))));
  });
}

/** The single answer to `bytes`. */
export async function exchangeOne(url: string, bytes: string | Buffer, options = {}): Promise<RawReply> {
  const replies = await exchange(url, bytes, options);
  const [reply] = replies;
  if (reply === undefined || replies.length > 1) throw new Error(`${replies.length} answers instead of one`);
  observeRawAnswer(url, bytes, reply);
  return reply;
}

/** Parses consecutive answers. */
export function parseReplies(bytes: Buffer): RawReply[] {
  const replies: RawReply[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    // If no body follows, it is the answer to HEAD.
    const parsed = parseReply(rest, false) ?? parseReply(rest, true);
    if (parsed === undefined) throw new Error(`No whole answer: ${rest.toString('latin1')}`);
    replies.push(parsed.reply);
    rest = rest.subarray(parsed.length);
  }
  return replies;
}

/**
 * Parses the first answer in `bytes`, with its length in bytes; undefined if it is incomplete.
 * @param isHead whether it answers HEAD, whose Content-Length does not apply to itself
 */
export function parseReply(bytes: Buffer, isHead: boolean): { reply: RawReply; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers = new Map(lines.map((line) => [nameOf(line), line.slice(line.indexOf(':') + 1).trim()]));
  const length = headEnd + 4 + (isHead ? 0 : Number(headers.get('content-length') ?? 0));
  if (bytes.length < length) return undefined;
  const body = decoded(bytes.subarray(headEnd + 4, length), headers.get('content-encoding') ?? null);
  const text = body.toString('utf8');
  const isJson = text !== '' && headers.get('content-type') === 'application/json';
  const json: unknown = isJson ? JSON.parse(text) : undefined;
  return { reply: { status: statusOf(statusLine), headers, text, json }, length };
}

function statusOf(statusLine: string): number {
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine) ?? [];
  if (status === undefined) throw new Error(`No status line: ${statusLine}`);
  return Number(status);
}

function nameOf(line: string): string {
  return line.slice(0, line.indexOf(':')).toLowerCase();
}
