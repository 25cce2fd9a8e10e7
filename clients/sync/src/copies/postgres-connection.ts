import { Client, type ClientConfig, type CustomTypesConfig, type DatabaseError, types } from 'pg';
import { ADVICE, authoritiesFor, connectionLostError, hostOf, unreachableError } from './server-connection.js';
import type { ServerTarget, Tls } from './target.js';

const DEFAULT_PORT = 5432;
const CONNECT_MS = 10_000;
/** The type of an integer of 64 bits, which the driver gives as text unless told otherwise. */
const INT8 = types.builtins.INT8;
const TYPES = {
  getTypeParser: (type: number, format?: 'text') => (type === INT8 ? Number : types.getTypeParser(type, format)),
} as CustomTypesConfig;
const NOT_AUTHORISED = '28000';

/** A connection to PostgreSQL, which says of which server it is when it is lost. */
export class PostgresConnection {
  private lostBy: Error | undefined;

  private constructor(
    private readonly shown: string,
    private readonly client: Client,
  ) {
    // Also while nothing is asked for; without a listener it would end the process.
    client.on('error', (error) => (this.lostBy ??= error));
  }

  /** The one place that connects to a server of PostgreSQL. @throws SyncError that says what to do, and no password */
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
   * @throws DatabaseError of the server, SyncError where the connection is lost
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
    // A server that is gone does not hear of it.
    await this.client.end().catch(() => undefined);
  }
}

/** Said in full: what is left out the driver takes from the environment, and from the URL it takes options of its own. */
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

/** As the protocol has it: `$1` for the first value. */
function numbered(sql: string): string {
  let number = 0;
  return sql.replaceAll('?', () => `$${++number}`);
}
