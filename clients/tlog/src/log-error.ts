/** A log or a proof is invalid or not readable. The message says why. */
export class LogError extends Error {
  override readonly name = 'LogError';
}

/** Decodes canonical base64. @throws LogError for anything else */
export function decodeBase64(text: string, what: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (text === '' || bytes.toString('base64') !== text) throw new LogError(`${what} is not base64`);
  return bytes;
}
