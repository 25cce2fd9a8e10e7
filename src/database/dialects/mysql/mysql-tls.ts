import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import type { Tls } from '../../../platform/config/database-url.js';
import { DatabaseUnusableError } from '../dialect.js';

/** As the driver takes it, which refuses a server that offers no TLS before anything is told to it. */
export interface SslOptions {
  rejectUnauthorized: boolean;
  /** Whether the certificate has to name the host. */
  verifyIdentity: boolean;
  ca?: string[];
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Options by what the URL says. For each object the driver parses authorities once, and remembers sessions with servers. */
const made = new Map<string, SslOptions>();

/**
 * The same object for the same words: a file of authorities is read once in a process.
 * @throws DatabaseUnusableError where it cannot be used: without authorities the driver would take others
 */
export function sslOptions({ verify, caFile }: Tls): SslOptions {
  const key = JSON.stringify([verify, caFile]);
  const options = made.get(key) ?? {
    rejectUnauthorized: verify,
    verifyIdentity: verify,
    ...authorities(verify, caFile),
  };
  made.set(key, options);
  return options;
}

function authorities(verify: boolean, caFile: string | undefined): { ca?: string[] } {
  if (!verify) return {};
  const ca = caFile === undefined ? knownAuthorities() : readAuthorities(caFile);
  return ca === undefined ? {} : { ca };
}

function readAuthorities(file: string): string[] {
  const found = textOf(file).match(CERTIFICATE) ?? [];
  if (found.length === 0)
    throw new DatabaseUnusableError(
      `ca=${file} of the database's URL holds no certificate: it takes those of authorities, in PEM`,
    );
  for (const [index, authority] of found.entries()) {
    if (!isCertificate(authority))
      throw new DatabaseUnusableError(
        `ca=${file} of the database's URL cannot be used: what stands there as certificate ${index + 1} is none`,
      );
  }
  return found;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new DatabaseUnusableError(`ca=${file} of the database's URL cannot be read (${reason})`, { cause: error });
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/** Those that Node.js brings and the system's; before Node 22.15 nobody tells the system's, and Node.js takes its own. */
function knownAuthorities(): string[] | undefined {
  const { getCACertificates } = tls as { getCACertificates?: (kind: 'default' | 'system') => string[] };
  return getCACertificates && [...new Set([...getCACertificates('default'), ...getCACertificates('system')])];
}
