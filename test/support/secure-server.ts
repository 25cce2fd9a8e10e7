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
/** Users of the server's own threads in its process list. */
const OF_THE_SERVER = ['system user', 'event_scheduler'];
/** Made by `make.sh` in that folder; all but `another-authority` are signed by `authority`. */
type Certificate = 'both-names' | 'name-alone' | 'another-host' | 'expired' | 'authority' | 'another-authority';

/** The path of a certificate, or of the key that the servers share. */
export function certificateFile(name: Certificate | 'server-key'): string {
  return resolve('test/support/certificates', `${name}.pem`);
}

/** A private server that presents a chosen certificate, with empty databases for its user. */
export class SecureServer {
  private constructor(
    private readonly server: PrivateServer,
    private operator: Connection,
    private readonly folder: string,
    private readonly exit: { revoke: () => void },
  ) {}

  /** @returns undefined if no server is installed */
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
   * Makes a database, and a user with this requirement for connections.
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

  /** Presents another certificate from the next connection on. */
  async show(certificate: Certificate): Promise<void> {
    copyFileSync(certificateFile(certificate), join(this.folder, 'server.pem'));
    const reload = isMariaDb(PROGRAM as string) ? 'FLUSH SSL' : 'ALTER INSTANCE RELOAD TLS';
    // MySQL loads an expired certificate only at its start.
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

  /** Kills all connections except the operator's. */
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
