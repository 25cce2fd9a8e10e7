import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { SyncError } from '../sync-error.js';
import { type ServerTarget, shownTarget, type Tls } from './target.js';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const WRITE_TLS = 'append ?tls=verify to its URL, with &ca=FILE for your own certificate authority, or ?tls=require';

/** Advice for each error of a server or a driver that concerns TLS; appended to the error. */
export const ADVICE = {
  tlsRequired: ` To encrypt, ${WRITE_TLS}`,
  tlsPerhapsRequired: `. If the server requires TLS for this user, ${WRITE_TLS}`,
  noTls: '. No password was sent. Configure a certificate on the server, or omit tls on a trusted network',
  badCertificate:
    '. tls=verify requires a certificate that is valid, names the host of the URL, and is signed by an authority of ca=FILE',
} as const;

/** @param advice one of `ADVICE`, or empty */
export function unreachableError(target: ServerTarget, cause: NodeJS.ErrnoException, advice: string): SyncError {
  // If a host name has several addresses, the combined error has no message.
  const why = cause.message || cause.code;
  return new SyncError(`${shownTarget(target)} cannot be reached: ${why}${advice}`, undefined, { cause });
}

export function connectionLostError(shown: string, cause: Error): SyncError {
  const what = `The connection to ${shown} was lost (${cause.message})`;
  return new SyncError(`${what}: the next run continues from what was written`, undefined, { cause });
}

/**
 * The certificate authorities that verify a server's certificate.
 * @returns undefined for no verification, or for Node.js's defaults
 * @throws SyncError if the CA file cannot be used: the driver would silently use others
 */
export function authoritiesFor({ verify, caFile }: Tls): string[] | undefined {
  if (!verify) return undefined;
  return caFile === undefined ? knownAuthorities() : readAuthorities(caFile);
}

function readAuthorities(file: string): string[] {
  try {
    const authorities = readFileSync(file, 'latin1').match(CERTIFICATE) ?? [];
    if (authorities.length === 0) throw new Error('it contains no certificate in PEM');
    for (const authority of authorities) new X509Certificate(authority);
    return authorities;
  } catch (error) {
    throw new SyncError(`ca=${file} cannot be used: ${(error as Error).message}`, undefined, { cause: error });
  }
}

/** The authorities of Node.js and of the system. Before Node 22.15 the system's are unavailable, and Node.js uses its own. */
function knownAuthorities(): string[] | undefined {
  const { getCACertificates } = tls as { getCACertificates?: (kind: 'default' | 'system') => string[] };
  return getCACertificates && [...new Set([...getCACertificates('default'), ...getCACertificates('system')])];
}

/** The host of a server's URL, in the form for a socket. */
export function hostOf({ hostname }: URL): string {
  return decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
}
