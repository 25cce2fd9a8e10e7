import { head } from './raw-socket.js';

const HOST = 'Host: registry.example';
const POST = 'POST /api/0.1/assets HTTP/1.1';
const GET = 'GET /api/0.1/assets HTTP/1.1';
/** Bytes that a proxy which parses the length differently would take for a body, or for the next request. */
const CHUNKS = '5\r\nabcde\r\n0\r\n\r\n';

const framing = (...lines: string[]): string => head(POST, HOST, ...lines) + CHUNKS;
const chunked = (body: string): string => head(POST, HOST, 'Transfer-Encoding: chunked') + body;
const lines = (...parts: string[]): string => parts.join('');

const LENGTHS = ['+5', '5 5', '5, 6', '0x5', '', '99999999999999999999'];
const CODINGS = ['x', 'chunked, identity', 'gzip, chunked', 'xchunked', 'ch\tunked', 'chun ked'];
const CHUNK_BODIES = {
  'a chunk size with a sign': '+5\r\nabcde\r\n0\r\n\r\n',
  'a chunk size in 0x': '0x5\r\nabcde\r\n0\r\n\r\n',
  'a chunk size with a space before it': ' 5\r\nabcde\r\n0\r\n\r\n',
  'a chunk size beyond 64 bits': 'ffffffffffffffff1\r\nabcde\r\n0\r\n\r\n',
  'a chunk that is too long': '4\r\nabcde\r\n0\r\n\r\n',
  'chunks that end in LF': '5\nabcde\n0\n\n',
  'a chunk size that ends in LF': '5\nabcde\r\n0\r\n\r\n',
  'a chunk size that ends in CR': '5\rabcde\r\n0\r\n\r\n',
  'a chunk that ends in LF': '5\r\nabcde\n0\r\n\r\n',
  'a last chunk that ends in LF': '5\r\nabcde\r\n0\n\r\n',
  'a zero byte in a chunk extension': '5;a\0\r\nabcde\r\n0\r\n\r\n',
};

/** Byte sequences whose end of request two parsers could see differently, or that are not HTTP, by what is wrong. */
export const DESYNC_SEQUENCES: Record<string, string> = {
  ...Object.fromEntries(
    LENGTHS.map((text) => [`Content-Length: ${JSON.stringify(text)}`, framing(`Content-Length: ${text}`)]),
  ),
  ...Object.fromEntries(
    CODINGS.map((text) => [`Transfer-Encoding: ${JSON.stringify(text)}`, framing(`Transfer-Encoding: ${text}`)]),
  ),
  ...Object.fromEntries(Object.entries(CHUNK_BODIES).map(([what, body]) => [what, chunked(body)])),
  'a length and chunks': framing('Content-Length: 5', 'Transfer-Encoding: chunked'),
  'chunks and a length': framing('Transfer-Encoding: chunked', 'Content-Length: 5'),
  'two lengths': framing('Content-Length: 5', 'Content-Length: 6'),
  'two equal lengths': framing('Content-Length: 5', 'Content-Length: 5'),
  'two codings, chunked first': framing('Transfer-Encoding: chunked', 'Transfer-Encoding: x'),
  'a length before the coding, in other cases': framing('content-length: 5', 'TRANSFER-ENCODING: chunked'),
  'a coding with a space before the colon': framing('Transfer-Encoding : chunked'),
  'a coding behind a space': framing(' Transfer-Encoding: chunked'),
  'a folded coding': framing('Transfer-Encoding:\r\n chunked'),
  'a zero byte in a value': framing('Content-Length: 14', 'X-A: 1\x002'),
  'a bare CR between headers': lines(POST, '\r\n', HOST, '\rContent-Length: 5\r\n\r\n', CHUNKS),
  'a header without a name': framing(': 5', 'Content-Length: 14'),
  'a header without a colon': framing('Content-Length'),
  'lines that end in LF': lines(GET, '\n', HOST, '\n\n'),
  'a request line that ends in LF': lines(GET, '\n', HOST, '\r\n\r\n'),
  'a tab in the request line': head('GET\t/api/0.1/assets\tHTTP/1.1', HOST),
  'a space before the method': head(' GET /api/0.1/assets HTTP/1.1', HOST),
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'HTTP/0.9': 'GET /api/0.1/assets\r\n',
  'a TLS hello': Buffer.from('16030100a5010000a10303', 'hex').toString('latin1'),
  'a PROXY line': lines('PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n', head(GET, HOST)),
};
