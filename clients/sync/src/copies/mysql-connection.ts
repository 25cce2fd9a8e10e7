import { createConnection as createSocket, type Socket } from 'node:net';
import { type Connection, createConnection, type SslOptions } from 'mysql2/promise';
import { ADVICE, authoritiesFor, connectionLostError, hostOf, unreachableError } from './server-connection.js';
import type { ServerTarget, Tls } from './target.js';

const DEFAULT_PORT = 3306;
const ACCESS_DENIED = 1045;
const TLS_REQUIRED = 3159;

/** Connects to MySQL or MariaDB; the only function that does. @throws SyncError with advice and without a password */
export async function connect(target: ServerTarget): Promise<Connection> {
  const options = target.tls === undefined ? {} : { ssl: sslOptions(target.tls), stream: () => openSocket(target.url) };
  try {
    return await createConnection({ uri: target.url, charset: 'UTF8MB4_BIN', supportBigNumbers: true, ...options });
  } catch (error) {
    const { errno, code } = error as NodeJS.ErrnoException;
    throw unreachableError(target, error as Error, adviceFor(errno, code, target.tls));
  }
}

/** Adds the server to the driver's error if the connection is lost. */
export function namingIfLost(shown: string): (error: unknown) => never {
  return (error) => {
    const { fatal } = error as Error & { fatal?: boolean };
    throw fatal === true ? connectionLostError(shown, error as Error) : error;
  };
}

function adviceFor(errno: number | undefined, code: string | undefined, used: Tls | undefined): string {
  if (errno === TLS_REQUIRED) return ADVICE.tlsRequired;
  // Without TLS, the server gives the same error for a wrong password, for a user who must use TLS, and for a password that it cannot read.
  if (errno === ACCESS_DENIED && used === undefined) return ADVICE.tlsPerhapsRequired;
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') return ADVICE.noTls;
  if (code === 'HANDSHAKE_SSL_ERROR' && used?.verify) return ADVICE.badCertificate;
  return '';
}

function sslOptions(used: Tls): SslOptions {
  const options = { rejectUnauthorized: used.verify, verifyIdentity: used.verify };
  const ca = authoritiesFor(used);
  return ca === undefined ? options : { ...options, ca };
}

function openSocket(target: string): Socket {
  const url = new URL(target);
  const host = hostOf(url);
  const socket = createSocket(Number(url.port || DEFAULT_PORT), host);
  socket.setNoDelay(true);
  socket.setKeepAlive(true);
  // The driver checks the certificate for its host name, and sets none for an IP address. Node.js then uses this member, or "localhost" without it.
  return Object.assign(socket, { _host: host });
}
