import { Client, type ClientConfig, type CustomTypesConfig, type DatabaseError, types } from 'pg';
import { ADVICE, authoritiesFor, connectionLostError, hostOf, unreachableError } from './server-connection.js';
import type { ServerTarget, Tls } from './target.js';

const DEFAULT_PORT = 5432;
const CONNECT_MS = 10_000;
/** The type of 64-bit integers, which the driver returns as text by default. */
const INT8 = types.builtins.INT8;
const TYPES = {
  getTypeParser: (type: number, format?: 'text') => (type === INT8 ? Number : types.getTypeParser(type, format)),
} as CustomTypesConfig;
const NOT_AUTHORISED = '28000';

/** A connection to PostgreSQL, whose errors name the server if it is lost. */
export class PostgresConnection {
  private lostBy: Error | undefined;

  private constructor(
    private readonly shown: string,
    private readonly client: Client,
  ) {
    // Also while idle; without a listener the error would end the process.
    client.on('error', (error) => (this.lostBy ??= error));
  }

  /** Connects to PostgreSQL; the only function that does. @throws SyncError with advice and without a password */
  static async open(target: ServerTarget, shown: string): Promise<PostgresConnection> {
    const client = new Client(optionsFor(target));
    const connection = new PostgresConnection(shown, client);
    try {
      await client.connect();
      return connection;
    } catch (error) {
      throw unreachableError(target, error as Error, adviceFor(error as DatabaseError, target.tls));
    }
  }

  /**
   * @param sql one statement, with `?` for each value
   * @throws DatabaseError of the server, SyncError if the connection is lost
   */
  async query<T>(sql: string, values: readonly unknown[] = []): Promise<T[]> {
    try {
      return (await this.client.query(numbered(sql), [...values])).rows as T[];
    } catch (error) {
      const isLost = this.lostBy !== undefined || (error as DatabaseError).severity === 'FATAL';
      throw isLost ? connectionLostError(this.shown, this.lostBy ?? (error as Error)) : error;
    }
  }

  async end(): Promise<void> {
    // A server that is down does not answer.
    await this.client.end().catch(() => undefined);
  }
}

/** All options are explicit: the driver takes missing ones from the environment, and further ones from the URL. */
function optionsFor({ url: text, tls }: ServerTarget): ClientConfig {
  const url = new URL(text);
  return {
    host: hostOf(url),
    port: Number(url.port || DEFAULT_PORT),
    database: decodeURIComponent(url.pathname.slice(1)),
    user: decodeURIComponent(url.username) || undefined,
    password: decodeURIComponent(url.password) || undefined,
    ssl: tls === undefined ? false : { rejectUnauthorized: tls.verify, ca: authoritiesFor(tls) },
    application_name: 'registry-sync',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    types: TYPES,
  };
}

function adviceFor({ code, message }: DatabaseError, used: Tls | undefined): string {
  if (code === NOT_AUTHORISED && used === undefined) return ADVICE.tlsPerhapsRequired;
  if (message === 'The server does not support SSL connections') return ADVICE.noTls;
  if (used?.verify && /CERT|VERIFY/.test(code ?? '')) return ADVICE.badCertificate;
  return '';
}

/** Converts `?` to the protocol's `$1`, `$2`. */
function numbered(sql: string): string {
  let number = 0;
  return sql.replaceAll('?', () => `$${++number}`);
}
