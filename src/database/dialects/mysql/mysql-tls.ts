import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import type { Tls } from '../../../platform/config/database-url.js';
import { DatabaseUnusableError } from '../dialect.js';

/** The driver's TLS options; with them it refuses a server without TLS before it sends the login. */
export interface SslOptions {
  rejectUnauthorized: boolean;
  verifyIdentity: boolean;
  ca?: string[];
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** @throws DatabaseUnusableError if the CA file cannot be used, because the driver would otherwise trust other authorities */
export function sslOptions({ verify, caFile }: Tls): SslOptions {
  return { rejectUnauthorized: verify, verifyIdentity: verify, ...authorities(verify, caFile) };
}

function authorities(verify: boolean, caFile: string | undefined): { ca?: string[] } {
  if (!verify) return {};
  const ca = caFile === undefined ? knownAuthorities() : readAuthorities(caFile);
  return ca === undefined ? {} : { ca };
}

function readAuthorities(file: string): string[] {
  const certificates = textOf(file).match(CERTIFICATE) ?? [];
  const broken = certificates.findIndex((pem) => !isCertificate(pem));
  if (certificates.length > 0 && broken < 0) return certificates;
  const why = broken < 0 ? 'contains no certificate' : `cannot be used: its certificate ${broken + 1} is malformed`;
  throw new DatabaseUnusableError(`ca=${file} of the database's URL ${why}. It must contain CA certificates in PEM`);
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

/** The certificates of Node.js and of the system. Node.js before 22.15 cannot list the system's: then undefined, and it uses its own. */
function knownAuthorities(): string[] | undefined {
  const { getCACertificates } = tls as { getCACertificates?: (kind: 'default' | 'system') => string[] };
  return getCACertificates && [...new Set([...getCACertificates('default'), ...getCACertificates('system')])];
}
