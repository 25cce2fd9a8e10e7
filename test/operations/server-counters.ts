import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { obtainServerProgram } from '../../scripts/machine/server-program.js';
import { PrivateServer } from '../support/private-server.js';

/** A durable server private to a test, so that its statement counter counts only this test. Source: SHOW GLOBAL STATUS of MariaDB and MySQL. */
export class CountingServer {
  private constructor(
    private readonly server: PrivateServer,
    private readonly operator: Connection,
    /** Statements that reading the counter adds. */
    private readonly perReading: number,
    /** DATABASE_URL of an empty database. */
    readonly url: string,
  ) {}

  static async start(): Promise<CountingServer> {
    const server = await PrivateServer.start(await obtainServerProgram());
    const operator = await createConnection(server.url);
    await operator.query('CREATE DATABASE registry CHARACTER SET utf8mb4');
    const url = new URL(server.url);
    url.pathname = 'registry';
    // Measured before others connect, because their statements would be counted in it.
    const before = await statementsOn(operator);
    return new CountingServer(server, operator, (await statementsOn(operator)) - before, url.href);
  }

  /** The statements that clients have run during `work`, prepared ones too; including the service's own meanwhile. */
  async statementsDuring(work: () => Promise<unknown>): Promise<number> {
    const before = await statementsOn(this.operator);
    await work();
    return (await statementsOn(this.operator)) - before - this.perReading;
  }

  async stop(): Promise<void> {
    await this.operator.end();
    await this.server.stop();
  }
}

async function statementsOn(operator: Connection): Promise<number> {
  const [[row]] = await operator.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Questions'");
  return Number(row?.['Value']);
}
