import { type ChildProcess, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, chmodSync, chownSync, copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type QueryResult, types } from 'pg';
import { type OtherUser, spawnChild, succeed } from '../../scripts/machine/child-process.js';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { findFreePort } from '../../scripts/machine/free-port.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import type { JsonObject } from './assets.js';
import { certificateFile } from './secure-server.js';
import { until } from './until.js';

/** Error code of a server that is starting. */
const STARTING = '57P03';
const SETTINGS = ['fsync=off', 'full_page_writes=off', `listen_addresses='127.0.0.1'`, `unix_socket_directories=''`];

/** A user who may connect over TLS only. */
export const TLS_ONLY = 'tls_only';

/** A private PostgreSQL server of a test file, or the one of TEST_POSTGRES_URL. */
export class PostgresServer {
  private constructor(
    /** postgres://user:password@host:port of a user who may create databases. */
    readonly url: string,
    private readonly privately?: PrivatePostgres,
  ) {}

  /** @throws Error with instructions to get one */
  static async start(): Promise<PostgresServer> {
    const { TEST_POSTGRES: found, TEST_POSTGRES_MISSING: missing } = process.env;
    if (found === undefined) throw new Error(missing ?? 'Only files of the e2e project may use postgres-server.ts.');
    if (found.includes('://')) return new PostgresServer(found);
    const server = await PrivatePostgres.start(found);
    return new PostgresServer(server.url, server);
  }

  /** Whether it presents the certificate `both-names`, which a given server does not. */
  get isSecure(): boolean {
    return this.privately !== undefined;
  }

  /** Makes an empty database. @returns its URL */
  async create(): Promise<string> {
    const name = `copy_${randomBytes(8).toString('hex')}`;
    await queryPostgres(this.url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
    const url = new URL(this.url);
    url.pathname = name;
    return url.href;
  }

  async drop(url: string): Promise<void> {
    await queryPostgres(this.url, `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
  }

  async stop(): Promise<void> {
    await this.privately?.stop();
  }
}

/** Runs one statement on a new connection. @param sql with `?` for each value */
export async function queryPostgres(url: string, sql: string, ...values: unknown[]): Promise<JsonObject[]> {
  const target = new URL(url);
  target.pathname ||= '/postgres';
  const client = new Client({ connectionString: target.href });
  client.on('error', () => undefined);
  await client.connect();
  try {
    let number = 0;
    const text = sql.replaceAll('?', () => `$${++number}`);
    const found: QueryResult<JsonObject> = await client.query(text, values);
    return found.rows;
  } finally {
    await client.end();
  }
}

class PrivatePostgres {
  private readonly exit: { revoke: () => void };

  private constructor(
    readonly url: string,
    private readonly folder: string,
    private readonly child: ChildProcess,
  ) {
    // A failed run must not wait for the server, which is killed at exit.
    child.unref();
    this.exit = cleanUpAtExit(() => {
      // SIGQUIT ends all its processes at once, and leaves none behind.
      child.kill('SIGQUIT');
      removeFolder(folder);
    });
  }

  static async start(programs: string): Promise<PrivatePostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'registry-postgres-'));
    const user = otherUser();
    const [data, log, password] = [join(folder, 'data'), join(folder, 'server.log'), randomBytes(12).toString('hex')];
    layOut(folder, password, user);
    const initial = ['--auth=scram-sha-256', '--username=registry', `--pwfile=${join(folder, 'password')}`];
    const options = ['--no-sync', '--encoding=UTF8', '--locale=C', ...initial, '-D', data];
    await succeed(spawnChild(join(programs, 'initdb'), options, log, false, user));
    const rules = join(data, 'pg_hba.conf');
    writeFileSync(rules, `hostnossl all ${TLS_ONLY} all reject\n${readFileSync(rules, 'utf8')}`);
    const port = await findFreePort();
    // Written to the file, because a test could not change command-line options by SQL.
    appendFileSync(join(data, 'postgresql.conf'), [...SETTINGS, `port=${port}`, ...tlsIn(folder), ''].join('\n'));
    const child = spawnChild(join(programs, 'postgres'), ['-D', data], log, false, user);
    const server = new PrivatePostgres(`postgres://registry:${password}@127.0.0.1:${port}`, folder, child);
    await until(() => server.answers(log));
    return server;
  }

  async stop(): Promise<void> {
    this.child.ref();
    const ended = once(this.child, 'exit');
    this.child.kill('SIGQUIT');
    await ended;
    this.exit.revoke();
    removeFolder(this.folder);
  }

  private async answers(log: string): Promise<boolean> {
    if (this.child.exitCode !== null) throw new Error(`PostgreSQL has ended:\n${readFileSync(log, 'utf8')}`);
    try {
      await queryPostgres(this.url, 'SELECT 1');
      return true;
    } catch (error) {
      if (['ECONNREFUSED', STARTING].includes((error as { code: string }).code)) return false;
      throw error;
    }
  }
}

/** PostgreSQL refuses to run as root. */
function otherUser(): OtherUser | undefined {
  const idOf = (option: string): number => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
  return process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined;
}

/** Writes the server's files, readable only by its user. */
function layOut(folder: string, password: string, user: OtherUser | undefined): void {
  writeFileSync(join(folder, 'password'), password);
  copyFileSync(certificateFile('both-names'), join(folder, 'server.pem'));
  copyFileSync(certificateFile('server-key'), join(folder, 'server-key.pem'));
  for (const name of ['password', 'server-key.pem']) chmodSync(join(folder, name), 0o600);
  if (user === undefined) return;
  for (const name of ['password', 'server.pem', 'server-key.pem', ''])
    chownSync(join(folder, name), user.uid, user.gid);
}

function tlsIn(folder: string): string[] {
  const files = [`ssl_cert_file='${join(folder, 'server.pem')}'`, `ssl_key_file='${join(folder, 'server-key.pem')}'`];
  return ['ssl=on', ...files];
}

// Like the drivers of the other databases, which return numbers.
types.setTypeParser(types.builtins.INT8, Number);
