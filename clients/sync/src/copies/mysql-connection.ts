import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createConnection as createSocket, type Socket } from 'node:net';
import tls from 'node:tls';
import { type Connection, createConnection, type SslOptions } from 'mysql2/promise';
import { SyncError } from '../sync-error.js';
import { shownTarget, type ServerTarget, type Tls } from './target.js';

const DEFAULT_PORT = 3306;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const ACCESS_DENIED = 1045;
const TLS_REQUIRED = 3159;
const WRITE_TLS =
  'write ?tls=verify at the end of its URL, with &ca=FILE for an authority of your own, or ?tls=require';

/** The one place that connects to a server. @throws SyncError that says what to do, and no password */
export async function connect(target: ServerTarget): Promise<Connection> {
  const options = target.tls === undefined ? {} : { ssl: sslOptions(target.tls), stream: () => openSocket(target.url) };
  try {
    return await createConnection({ uri: target.url, charset: 'UTF8MB4_BIN', supportBigNumbers: true, ...options });
  } catch (error) {
    const { errno, code, message } = error as NodeJS.ErrnoException;
    const advice = adviceFor(errno, code, target.tls);
    throw new SyncError(`${shownTarget(target)} cannot be reached: ${message}${advice}`, undefined, { cause: error });
  }
}

/** Where the connection is gone, the driver says so in words of its own, and of which server it does not. */
export function namingIfLost(shown: string): (error: unknown) => never {
  return (error) => {
    const { fatal, message } = error as Error & { fatal?: boolean };
    if (fatal !== true) throw error;
    const what = `The connection to ${shown} was lost (${message})`;
    throw new SyncError(`${what}: what was written stays, and the next run goes on`, undefined, { cause: error });
  };
}

function adviceFor(errno: number | undefined, code: string | undefined, used: Tls | undefined): string {
  if (errno === TLS_REQUIRED) return ` To encrypt, ${WRITE_TLS}`;
  // A user who may come over TLS only is told the same as one with a wrong password, and so is one whose password it cannot read.
  if (errno === ACCESS_DENIED && used === undefined)
    return `. If the server lets this user in over TLS only, ${WRITE_TLS}`;
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT')
    return ', and was told no password. Set up its certificate, or leave tls out where nobody can listen in';
  if (code === 'HANDSHAKE_SSL_ERROR' && used?.verify)
    return '. tls=verify asks for a certificate that is valid, names the host of the URL, and is signed by an authority of ca=FILE';
  return '';
}

/** @throws SyncError where the file of authorities cannot be used: without one the driver would take others */
function sslOptions({ verify, caFile }: Tls): SslOptions {
  const options = { rejectUnauthorized: verify, verifyIdentity: verify };
  if (!verify) return options;
  const ca = caFile === undefined ? knownAuthorities() : readAuthorities(caFile);
  return ca === undefined ? options : { ...options, ca };
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

function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url);
  const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
  const socket = createSocket(Number(port || DEFAULT_PORT), host);
  socket.setNoDelay(true);
  socket.setKeepAlive(true);
  // A certificate is checked for the name that the driver says, and it says none for an address. Then Node.js takes what it finds here,
  // and where it finds nothing, "localhost".
  return Object.assign(socket, { _host: host });
}
