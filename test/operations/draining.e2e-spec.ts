import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody } from '../support/assets.js';
import { embedded, type TestDatabase } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { ServiceProcess } from '../support/process.js';
import { exchange, head, parseReplies, type RawReply } from '../support/raw-socket.js';
import { basic, TestRegistry } from '../support/registry.js';
import { until } from '../support/until.js';

const GET = head(`GET ${ASSETS} HTTP/1.1`, 'Host: registry');
const BODY = JSON.stringify(assetBody());
const POST =
  head(
    `POST ${ASSETS} HTTP/1.1`,
    'Host: registry',
    `Authorization: ${basic('broker')}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(BODY)}`,
  ) + BODY;
const HALF = POST.length - 100;
/** Delays in seconds, long enough for a request to arrive although the machine stalls for some of them. */
const [SOON_OVER, NEVER_OVER] = ['0.5', '12.5'];

/** Throws an uncaught exception, as a defect would. */
const WITH_DEFECT = `--import=data:text/javascript,process.on('SIGUSR2',()=>{throw(new(Error)('injected'))})`;

/** A connection that stays open after its answer, as in the pool of a client. */
class PooledConnection {
  private bytes = Buffer.alloc(0);
  private readonly closed: Promise<unknown>;

  private constructor(private readonly socket: Socket) {
    this.closed = once(socket, 'close');
    socket.on('data', (chunk) => (this.bytes = Buffer.concat([this.bytes, chunk])));
    socket.on('error', () => undefined);
  }

  /** It may be that only the system has accepted it yet, and not the service. */
  static async open(url: string): Promise<PooledConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    await once(socket, 'connect');
    return new PooledConnection(socket);
  }

  send(bytes: string): void {
    this.socket.write(bytes);
  }

  async firstAnswer(): Promise<void> {
    if (this.bytes.length === 0) await once(this.socket, 'data');
  }

  /** Everything that came until the service closed the connection. */
  async replies(): Promise<RawReply[]> {
    await this.closed;
    return parseReplies(this.bytes);
  }

  drop(): void {
    this.socket.destroy();
  }
}

function untilNotReady(url: string): Promise<void> {
  return until(async () => (await fetch(`${url}/health/ready`)).status === 503);
}

function untilTold(service: ServiceProcess): Promise<void> {
  return until(() => service.output().includes('"msg":"draining"'));
}

/** Connections are accepted in their order, and read in it: an answer on a later one shows that the others have been read. */
async function untilRead(url: string): Promise<void> {
  const [reply] = await exchange(url, head(`GET ${ASSETS} HTTP/1.1`, 'Host: registry', 'Connection: close'));
  expect(reply?.status).toBe(200);
}

describe.each(embedded)('a service on $name that is stopped', (kind) => {
  let database: TestDatabase;
  let service: ServiceProcess;
  const start = async (env: Record<string, string>): Promise<void> => {
    service = await ServiceProcess.start({ DATABASE_URL: database.url, LOG_LEVEL: 'info', ...env });
  };

  beforeEach(async () => {
    database = await kind.create();
    await migrate(database.url);
  });
  afterEach(async () => {
    await service.kill('SIGKILL');
    await database.drop();
  });

  // A closed terminal sends SIGHUP.
  it.each(['SIGTERM', 'SIGHUP'] as const)(
    'by %s finishes started requests and those pipelined after them, and ignores a second signal',
    async (signal) => {
      await start({ DRAIN_DELAY: SOON_OVER });
      const [pooled, alone] = [await PooledConnection.open(service.url), await PooledConnection.open(service.url)];
      for (const connection of [pooled, alone]) connection.send(POST.slice(0, HALF));
      await untilRead(service.url);
      service.signal(signal);
      await untilTold(service);
      service.signal('SIGTERM');
      service.signal('SIGINT');
      pooled.send(POST.slice(HALF) + GET);
      alone.send(POST.slice(HALF));
      const replies = await pooled.replies();
      expect(replies.map(({ status }) => status)).toEqual([201, 200]);
      expect(replies.map(({ headers }) => headers.get('connection') === 'close')).toEqual([false, true]);
      const [owed] = await alone.replies();
      expect([owed?.status, owed?.headers.get('connection')]).toEqual([201, 'close']);
      expect((await service.end).code).toBe(0);
    },
  );

  it('is immediately not ready, and answers later requests with Connection: close', async () => {
    await start({ DRAIN_DELAY: NEVER_OVER });
    const used = await PooledConnection.open(service.url);
    used.send(GET);
    await used.firstAnswer();
    service.signal('SIGTERM');
    await untilNotReady(service.url);
    used.send(POST);
    for (const [reply] of [await exchange(service.url, GET), await exchange(service.url, POST)]) {
      expect(reply?.status).toBeLessThan(202);
      expect(reply?.headers.get('connection')).toBe('close');
    }
    const [, last] = await used.replies();
    expect(last?.status).toBe(201);
    expect(last?.headers.get('connection')).toBe('close');
  });

  it('after an uncaught error, answers what it can and soon exits with 1', async () => {
    await start({ NODE_OPTIONS: WITH_DEFECT });
    const whole = await PooledConnection.open(service.url);
    whole.send(POST.slice(0, HALF));
    await untilRead(service.url);
    const began = performance.now();
    service.signal('SIGUSR2');
    await refused(service.url);
    whole.send(POST.slice(HALF));
    expect((await whole.replies()).map(({ status }) => status)).toEqual([201]);
    const { code, output } = await service.end;
    expect(code).toBe(1);
    expect(output).toContain('injected');
    // A normal shutdown would wait for up to 24 s.
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});

/** Resolves once nothing listens. */
function refused(url: string): Promise<void> {
  return until(() =>
    PooledConnection.open(url).then(
      (pooled) => {
        pooled.drop();
        return false;
      },
      () => true,
    ),
  );
}

describe.each(embedded)('the end of the service on $name', (kind) => {
  it('closes idle connections after the delay', async () => {
    const registry = await TestRegistry.start(kind, { DRAIN_DELAY: SOON_OVER });
    const idle = await PooledConnection.open(registry.url);
    idle.send(GET);
    await idle.firstAnswer();
    await registry.close();
    expect(await idle.replies()).toHaveLength(1);
    await registry.drop();
  });

  it('cuts stuck connections after the time limit', async () => {
    const registry = await TestRegistry.start(kind);
    const stuck = await PooledConnection.open(registry.url);
    stuck.send(POST.slice(0, HALF));
    await registry.send('/health/live');
    const began = performance.now();
    await registry.close(300);
    // As long as it would wait without that.
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(await stuck.replies()).toEqual([]);
    await registry.drop();
  });
});
