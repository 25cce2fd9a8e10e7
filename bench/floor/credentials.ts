import { createHash } from 'node:crypto';

export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The account whose key is the user of Basic authorization. @param accounts names by the digests of their keys */
export function accountIn(accounts: ReadonlyMap<string, string>, authorization = ''): string | undefined {
  const [user = ''] = Buffer.from(authorization.slice('Basic '.length), 'base64').toString().split(':');
  return accounts.get(digestOf(user));
}
