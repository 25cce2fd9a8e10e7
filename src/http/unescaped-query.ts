import { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** An error of Node's HTTP parser. */
export interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
  /** Offset of the fault in the packet. */
  bytesParsed?: number;
}

const NEW_LINE = 0x0a;
const FIRST_BEYOND_ASCII = 0x80;
const UTF_8 = new TextDecoder('utf-8', { fatal: true });
/** Ends the connection after this answer, because its first parser has stopped. */
const LAST = Buffer.from('Connection: close\r\n');

/**
 * Wraps the connection so that the request is parsed again with its query percent-encoded: Node's parser refuses the raw letters of
 * `curl '…?q=земля'`. Source: contract section 9.
 * @returns undefined if something else is wrong
 */
export function withEscapedQuery(
  { code, rawPacket, bytesParsed = 0 }: ParserError,
  socket: Duplex,
): Duplex | undefined {
  if (code !== 'HPE_INVALID_URL' || rawPacket === undefined || !(socket instanceof Socket)) return undefined;
  const end = rawPacket.indexOf(NEW_LINE) + 1;
  const line = rawPacket.subarray(0, end);
  const mark = line.indexOf('?');
  // Earlier requests may be in the same packet.
  if (mark < 0 || mark > bytesParsed || bytesParsed > end || !isUtf8(line)) return undefined;
  const query = Buffer.from([...line.subarray(mark)].map(escaped).join(''));
  return new ReplayedSocket(socket, Buffer.concat([line.subarray(0, mark), query, LAST, rawPacket.subarray(end)]));
}

function isUtf8(bytes: Buffer): boolean {
  try {
    UTF_8.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function escaped(byte: number): string {
  return byte < FIRST_BEYOND_ASCII ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase()}`;
}

/** A socket whose first bytes are replayed to a new parser. */
class ReplayedSocket extends Duplex {
  constructor(
    private readonly socket: Socket,
    first: Buffer,
  ) {
    super();
    socket.removeAllListeners('data').removeAllListeners('end');
    this.push(first);
    socket.on('data', (chunk) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.on('end', () => this.push(null)).on('close', () => this.destroy());
  }

  get remoteAddress(): string | undefined {
    return this.socket.remoteAddress;
  }

  get localAddress(): string | undefined {
    return this.socket.localAddress;
  }

  get localPort(): number | undefined {
    return this.socket.localPort;
  }

  override _read(): void {
    this.socket.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.socket.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.socket.destroy();
    done(error);
  }
}
