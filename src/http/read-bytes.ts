import type { IncomingMessage } from 'node:http';
import { bodyTooLarge, malformedRequest } from '../platform/errors/errors.js';

/** Pieces that are joined into one: a client may send single bytes, and each piece takes some hundred bytes of memory. */
const MAX_PIECES = 256;
const ignore = (): void => undefined;

/**
 * Reads a body of at most `limit` bytes. What comes of a refused body is discarded.
 * @throws ApiError 413 beyond the limit; 400 if the client broke off, or was answered 408 meanwhile
 */
export function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  // It emits no further events.
  if (request.destroyed) return Promise.reject(malformedRequest());
  if (Number(request.headers['content-length']) > limit) return Promise.reject(bodyTooLarge(limit));
  return new Promise((resolve, reject) => {
    let pieces: Buffer[] = [];
    let length = 0;
    const take = (piece: Buffer): void => {
      length += piece.length;
      if (length > limit) {
        request.off('data', take);
        reject(bodyTooLarge(limit));
        return;
      }
      if (pieces.length === MAX_PIECES) pieces = [Buffer.concat(pieces)];
      pieces.push(piece);
    };
    const fail = (): void => reject(malformedRequest());
    request.on('data', take);
    request.once('end', () => {
      if (!request.socket.writable) return;
      // They would keep the bytes in memory for as long as the request waits for its answer.
      request.off('data', take).off('close', fail);
      resolve(Buffer.concat(pieces));
    });
    // Follows an error, too.
    request.once('close', fail);
    request.once('error', ignore);
  });
}
