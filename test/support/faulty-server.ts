import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, createConnection } from 'mysql2/promise';
import { findServerProgram } from '../../scripts/machine/server-program.js';
import { PrivateServer, type PrivateServerOptions } from './private-server.js';
import { processList } from './process-list.js';

const FEW_CONNECTIONS = 10;
/** How often in a row no connection must be free, over more than the pause of the registry's host monitor. */
const FULL_CHECKS = 8;
const CHECK_PAUSE_MS = 50;
const FULL = 1114;
const TOO_MANY_CONNECTIONS = 1040;
const NO_SUCH_THREAD = 1094;

const PROGRAM = findServerProgram();

/** A private server with the registry's database, and operations that disturb it. Undo each before the next. */
export class FaultyServer {
  private readonly connections: Connection[] = [];

  private constructor(
    private readonly server: PrivateServer,
    private operator: Connection,
    /** DATABASE_URL of a user with rights on the registry's database only. */
    readonly url: string,
  ) {}

  /** @returns undefined if no server is installed */
  static async start(options: PrivateServerOptions = { cannotGrow: true }): Promise<FaultyServer | undefined> {
    if (PROGRAM === undefined) return undefined;
    const server = await PrivateServer.start(PROGRAM, options);
    const operator = await createConnection(server.url);
    const url = new URL(server.url);
    url.username = 'service';
    url.pathname = 'registry';
    await operator.query('CREATE DATABASE registry CHARACTER SET utf8mb4');
    await operator.query(`CREATE USER service@127.0.0.1 IDENTIFIED BY '${url.password}'`);
    await operator.query('GRANT ALL ON registry.* TO service@127.0.0.1');
    await operator.query('CREATE DATABASE filler');
    await operator.query('CREATE TABLE filler.rows_of_others (id INT PRIMARY KEY AUTO_INCREMENT, text TEXT)');
    return new FaultyServer(server, operator, url.href);
  }

  /** Inserts until the disk is full. In a transaction, because a full server cannot even delete rows. */
  async fill(): Promise<void> {
    await this.operator.beginTransaction();
    for (const size of [3_000, 200]) {
      const insert = `INSERT INTO filler.rows_of_others (text) VALUES (REPEAT('x', ${size}))`;
      while (await this.succeeds(insert, FULL));
    }
  }

  async freeSpace(): Promise<void> {
    await this.operator.rollback();
    await this.operator.query('DROP TABLE filler.rows_of_others');
  }

  /** @param settings such as `sql_select_limit = 1`; they apply to new sessions */
  async setGlobal(settings: readonly string[]): Promise<void> {
    for (const setting of settings) await this.operator.query(`SET GLOBAL ${setting}`);
  }

  async setReadOnly(on: boolean): Promise<void> {
    await this.operator.query(`SET GLOBAL read_only = ${on ? 1 : 0}`);
  }

  /** Blocks writes, as a backup does. */
  async lockForBackup(): Promise<void> {
    await this.operator.query('FLUSH TABLES WITH READ LOCK');
  }

  /** Locks a table exclusively, as an operator does. */
  async lockTable(table: string): Promise<void> {
    await this.operator.query(`LOCK TABLES registry.${table} WRITE`);
  }

  async unlockTables(): Promise<void> {
    await this.operator.query('UNLOCK TABLES');
  }

  /** Opens all available connections, and kills the registry's. */
  async exhaustConnections(): Promise<void> {
    await this.operator.query(`SET GLOBAL max_connections = ${FEW_CONNECTIONS}`);
    // The registry's host monitor reconnects four times a second, and may have had the last connection at this moment.
    for (let checks = 0; checks < FULL_CHECKS; await sleep(CHECK_PAUSE_MS)) {
      const ended = await this.killServiceConnections();
      checks = (await this.openConnection()) || ended > 0 ? 0 : checks + 1;
    }
  }

  async releaseConnections(): Promise<void> {
    for (const connection of this.connections.splice(0)) connection.destroy();
    await this.operator.query('SET GLOBAL max_connections = 500');
  }

  async restart(): Promise<void> {
    this.operator.destroy();
    await this.server.restart();
    this.operator = await createConnection(this.server.url);
  }

  async stop(): Promise<void> {
    this.operator.destroy();
    await this.releaseConnections().catch(() => undefined);
    await this.server.stop();
  }

  /** @returns false if none is left */
  private async openConnection(): Promise<boolean> {
    try {
      const connection = await createConnection(this.url);
      connection.on('error', () => undefined);
      this.connections.push(connection);
      return true;
    } catch (error) {
      if ((error as { errno?: number }).errno !== TOO_MANY_CONNECTIONS) throw error;
      return false;
    }
  }

  /** @returns how many were killed */
  private async killServiceConnections(): Promise<number> {
    const own = this.connections.map(({ threadId }) => threadId);
    const listed = await processList(this.operator);
    const others = listed.filter(({ id, user }) => user === 'service' && !own.includes(id));
    for (const { id } of others) await this.succeeds(`KILL ${id}`, NO_SUCH_THREAD);
    return others.length;
  }

  private async succeeds(sql: string, refusal: number): Promise<boolean> {
    try {
      await this.operator.query(sql);
      return true;
    } catch (error) {
      if ((error as { errno?: number }).errno !== refusal) throw error;
      return false;
    }
  }
}
