import { createConnection as createSocket, type Socket } from 'node:net';
import { type Connection, createConnection, type SslOptions } from 'mysql2/promise';
import { ADVICE, authoritiesFor, connectionLostError, hostOf, unreachableError } from './server-connection.js';
import type { ServerTarget, Tls } from './target.js';

const DEFAULT_PORT = 3306;
const ACCESS_DENIED = 1045;
const TLS_REQUIRED = 3159;

/** The one place that connects to a server of MySQL or MariaDB. @throws SyncError that says what to do, and no password */
export async function connect(target: ServerTarget): Promise<Connection> {
  const options = target.tls === undefined ? {} : { ssl: sslOptions(target.tls), stream: () => openSocket(target.url) };
  try {
    return await createConnection({ uri: target.url, charset: 'UTF8MB4_BIN', supportBigNumbers: true, ...options });
  } catch (error) {
    const { errno, code } = error as NodeJS.ErrnoException;
    throw unreachableError(target, error as Error, adviceFor(errno, code, target.tls));
  }
}

/** Where the connection is gone, the driver says so in words of its own, and of which server it does not. */
export function namingIfLost(shown: string): (error: unknown) => never {
  return (error) => {
    const { fatal } = error as Error & { fatal?: boolean };
    throw fatal === true ? connectionLostError(shown, error as Error) : error;
  };
}

function adviceFor(errno: number | undefined, code: string | undefined, used: Tls | undefined): string {
  if (errno === TLS_REQUIRED) return ADVICE.tlsRequired;
  // A user who may come over TLS only is told the same as one with a wrong password, and so is one whose password it cannot read.
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
  // A certificate is checked for the name that the driver says, and it says none for an address. Then Node.js takes what it finds here,
  // and where it finds nothing, "localhost".
  return Object.assign(socket, { _host: host });
}
