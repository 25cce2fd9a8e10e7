import * as zlib from 'node:zlib';

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
  gzip: zlib.gunzipSync,
};

/** A body as it was before it was compressed. HEAD names a coding without bytes. */
export function decoded(bytes: Buffer, coding: string | null): Buffer {
  if (coding === null || bytes.length === 0) return bytes;
  const decode = DECODERS[coding];
  if (decode === undefined) throw new Error(`Nobody asked for ${coding}`);
  return decode(bytes);
}
