import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Connection, createConnection } from 'mysql2/promise';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { findServerProgram, isMariaDb } from '../../scripts/machine/server-program.js';
import { PrivateServer } from './private-server.js';
import { processList } from './process-list.js';

const PROGRAM = findServerProgram();
/** Users whom a server lists for its own threads. */
const OF_THE_SERVER = ['system user', 'event_scheduler'];
/** Made by `make.sh` beside them; all but `another-authority` are signed by `authority`. */
type Certificate = 'both-names' | 'name-alone' | 'another-host' | 'expired' | 'authority' | 'another-authority';

/** The path of a certificate, or of the servers' one key. */
export function certificateFile(name: Certificate | 'server-key'): string {
  return resolve('test/support/certificates', `${name}.pem`);
}

/** A server of a test's own that shows clients the certificate that it is told to, with empty databases for its user. */
export class SecureServer {
  private constructor(
    private readonly server: PrivateServer,
    private operator: Connection,
    private readonly folder: string,
    private readonly exit: { revoke: () => void },
  ) {}

  /** @returns undefined where no server is installed on this machine */
  static async start(): Promise<SecureServer | undefined> {
    if (PROGRAM === undefined) return undefined;
    const folder = mkdtempSync(join(tmpdir(), 'registry-test-tls-'));
    const exit = cleanUpAtExit(() => removeFolder(folder));
    const certificate = join(folder, 'server.pem');
    copyFileSync(certificateFile('both-names'), certificate);
    const files = { certificate, key: certificateFile('server-key'), authority: certificateFile('authority') };
    const server = await PrivateServer.start(PROGRAM, { tls: files });
    const operator = await createConnection(server.url);
    return new SecureServer(server, operator, folder, exit);
  }

  /**
   * Makes a database, and a user who may come as `requires` says.
   * @returns DATABASE_URL, without parameters
   */
  async create(name: string, requires: 'SSL' | 'NONE' = 'NONE'): Promise<string> {
    const url = new URL(this.server.url);
    url.username = name;
    url.pathname = name;
    const user = `'${name}'@'127.0.0.1'`;
    await this.operator.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
    await this.operator.query(`CREATE USER ${user} IDENTIFIED BY '${url.password}' REQUIRE ${requires}`);
    await this.operator.query(`GRANT ALL ON ${name}.* TO ${user}`);
    return url.href;
  }

  /** From the next connection on. */
  async show(certificate: Certificate): Promise<void> {
    copyFileSync(certificateFile(certificate), join(this.folder, 'server.pem'));
    const reload = isMariaDb(PROGRAM as string) ? 'FLUSH SSL' : 'ALTER INSTANCE RELOAD TLS';
    // MySQL takes one that has expired at its start alone.
    await this.operator.query(reload).catch(() => this.restart());
  }

  private async restart(): Promise<void> {
    this.operator.destroy();
    await this.server.restart();
    this.operator = await createConnection(this.server.url);
  }

  async requireTls(on: boolean): Promise<void> {
    await this.operator.query(`SET GLOBAL require_secure_transport = ${on ? 'ON' : 'OFF'}`);
  }

  /** Ends all connections but the operator's. */
  async endConnections(): Promise<void> {
    const others = (await processList(this.operator)).filter(({ id }) => id !== this.operator.threadId);
    for (const { id, user } of others)
      if (!OF_THE_SERVER.includes(user)) await this.operator.query(`KILL ${id}`).catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.operator.destroy();
    await this.server.stop();
    removeFolder(this.folder);
    this.exit.revoke();
  }
}
