import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import type { Tls } from '../../../platform/config/database-url.js';
import { DatabaseUnusableError } from '../dialect.js';

/** As the driver takes it, which refuses a server that offers no TLS before anything is told to it. */
export interface SslOptions {
  rejectUnauthorized: boolean;
  verifyIdentity: boolean;
  ca?: string[];
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** @throws DatabaseUnusableError where the file of authorities cannot be used: without authorities the driver would take others */
export function sslOptions({ verify, caFile }: Tls): SslOptions {
  return { rejectUnauthorized: verify, verifyIdentity: verify, ...authorities(verify, caFile) };
}

function authorities(verify: boolean, caFile: string | undefined): { ca?: string[] } {
  if (!verify) return {};
  const ca = caFile === undefined ? knownAuthorities() : readAuthorities(caFile);
  return ca === undefined ? {} : { ca };
}

function readAuthorities(file: string): string[] {
  const found = textOf(file).match(CERTIFICATE) ?? [];
  const broken = found.findIndex((pem) => !isCertificate(pem));
  if (found.length > 0 && broken < 0) return found;
  const why = broken < 0 ? 'holds no certificate' : `cannot be used: its certificate ${broken + 1} is none`;
  throw new DatabaseUnusableError(`ca=${file} of the database's URL ${why}. It takes those of authorities, in PEM`);
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
