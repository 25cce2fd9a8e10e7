import type { IncomingMessage } from 'node:http';
import { bodyTooLarge, malformedRequest } from '../platform/errors/errors.js';

/** Chunks are joined at this number: a client may send single bytes, and each chunk takes some hundred bytes of memory. */
const MAX_CHUNKS = 256;
const ignore = (): void => undefined;

/**
 * Reads a body of at most `limit` bytes. The rest of a refused body is discarded.
 * @throws ApiError 413 beyond the limit; 400 if the client disconnected, or was answered 408 meanwhile
 */
export function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  // A destroyed request emits no further events.
  if (request.destroyed) return Promise.reject(malformedRequest());
  if (Number(request.headers['content-length']) > limit) return Promise.reject(bodyTooLarge(limit));
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    const add = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limit) {
        request.off('data', add);
        reject(bodyTooLarge(limit));
        return;
      }
      if (chunks.length === MAX_CHUNKS) chunks = [Buffer.concat(chunks)];
      chunks.push(chunk);
    };
    const fail = (): void => reject(malformedRequest());
    request.on('data', add);
    request.once('end', () => {
      if (!request.socket.writable) return;
      // The listeners would keep the bytes in memory until the request is answered.
      request.off('data', add).off('close', fail);
      resolve(Buffer.concat(chunks));
    });
    // Also emitted after an error.
    request.once('close', fail);
    request.once('error', ignore);
  });
}
