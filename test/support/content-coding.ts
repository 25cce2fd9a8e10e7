import * as zlib from 'node:zlib';

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
  gzip: zlib.gunzipSync,
};

/** Decompresses a body. An answer to HEAD names a coding but has no bytes. */
export function decoded(bytes: Buffer, coding: string | null): Buffer {
  if (coding === null || bytes.length === 0) return bytes;
  const decode = DECODERS[coding];
  if (decode === undefined) throw new Error(`The test did not request ${coding}`);
  return decode(bytes);
}
