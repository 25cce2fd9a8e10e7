/** What a log says, or a proof, does not hold, or cannot be read. The message says why. */
export class LogError extends Error {
  override readonly name = 'LogError';
}

/** Base64 that is written in no other way. @throws LogError for anything else */
export function bytesOf(text: string, what: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (text === '' || bytes.toString('base64') !== text) throw new LogError(`${what} is no base64`);
  return bytes;
}
