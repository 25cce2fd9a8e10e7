import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { obtainServerProgram } from '../../scripts/machine/server-program.js';
import { PrivateServer } from '../support/private-server.js';

/** A durable server of a test's own, whose counter of statements tells of nobody else. Source: SHOW GLOBAL STATUS of MariaDB and MySQL. */
export class CountingServer {
  private constructor(
    private readonly server: PrivateServer,
    private readonly operator: Connection,
    /** What asking for the counter costs by itself. */
    private readonly ofAsking: number,
    /** DATABASE_URL of an empty database. */
    readonly url: string,
  ) {}

  static async start(): Promise<CountingServer> {
    const server = await PrivateServer.start(await obtainServerProgram());
    const operator = await createConnection(server.url);
    await operator.query('CREATE DATABASE registry CHARACTER SET utf8mb4');
    const url = new URL(server.url);
    url.pathname = 'registry';
    // Now, while nobody else is connected: what anybody did meanwhile would be taken for a part of it, and later taken off.
    const before = await statementsOn(operator);
    return new CountingServer(server, operator, (await statementsOn(operator)) - before, url.href);
  }

  /** The statements that clients have run during `work`, prepared ones too; what the service does by itself meanwhile is among it. */
  async statementsDuring(work: () => Promise<unknown>): Promise<number> {
    const before = await statementsOn(this.operator);
    await work();
    return (await statementsOn(this.operator)) - before - this.ofAsking;
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
