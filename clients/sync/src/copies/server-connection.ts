import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { SyncError } from '../sync-error.js';
import { type ServerTarget, shownTarget, type Tls } from './target.js';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const WRITE_TLS =
  'write ?tls=verify at the end of its URL, with &ca=FILE for an authority of your own, or ?tls=require';

/** What to do where a server and its user do not agree about TLS. Each follows what the server or the driver said. */
export const ADVICE = {
  tlsRequired: ` To encrypt, ${WRITE_TLS}`,
  tlsPerhapsRequired: `. If the server lets this user in over TLS only, ${WRITE_TLS}`,
  noTls: ', and was told no password. Set up its certificate, or leave tls out where nobody can listen in',
  badCertificate:
    '. tls=verify asks for a certificate that is valid, names the host of the URL, and is signed by an authority of ca=FILE',
} as const;

/** @param advice one of `ADVICE`, or nothing */
export function unreachableError(target: ServerTarget, cause: NodeJS.ErrnoException, advice: string): SyncError {
  // Where a name has several addresses, the error of all of them has no words.
  const why = cause.message || cause.code;
  return new SyncError(`${shownTarget(target)} cannot be reached: ${why}${advice}`, undefined, { cause });
}

export function connectionLostError(shown: string, cause: Error): SyncError {
  const what = `The connection to ${shown} was lost (${cause.message})`;
  return new SyncError(`${what}: what was written stays, and the next run goes on`, undefined, { cause });
}

/**
 * The authorities by which a server's certificate is checked.
 * @returns undefined where nothing is checked, or Node.js is to take its own
 * @throws SyncError where the file of authorities cannot be used: without one the driver would take others
 */
export function authoritiesFor({ verify, caFile }: Tls): string[] | undefined {
  if (!verify) return undefined;
  return caFile === undefined ? knownAuthorities() : readAuthorities(caFile);
}

function readAuthorities(file: string): string[] {
  try {
    const authorities = readFileSync(file, 'latin1').match(CERTIFICATE) ?? [];
    if (authorities.length === 0) throw new Error('it holds no certificate in PEM');
    for (const authority of authorities) new X509Certificate(authority);
    return authorities;
  } catch (error) {
    throw new SyncError(`ca=${file} cannot be used: ${(error as Error).message}`, undefined, { cause: error });
  }
}

/** Those that Node.js brings and the system's; before Node 22.15 nobody tells the system's, and Node.js takes its own. */
function knownAuthorities(): string[] | undefined {
  const { getCACertificates } = tls as { getCACertificates?: (kind: 'default' | 'system') => string[] };
  return getCACertificates && [...new Set([...getCACertificates('default'), ...getCACertificates('system')])];
}

/** The host of a server's URL, as a socket takes it. */
export function hostOf({ hostname }: URL): string {
  return decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
}
