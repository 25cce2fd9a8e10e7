import { once } from 'node:events';
import { Agent, type IncomingMessage, request, type RequestOptions } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer as bytesOf } from 'node:stream/consumers';
import { decoded } from './content-coding.js';
import { type Config, loadConfig } from '../../src/platform/config/config.js';
import type { Registry } from '../../src/app.js';
import type { TestDatabase, TestDatabaseKind } from './databases.js';
import { loadService } from './loaded-service.js';
import { migrate } from './migrated.js';
import { retryUnavailable } from './retry-unavailable.js';
import { answersValidated, observeAnswer } from './observed-answers.js';
import { stalledSince } from './server-stalls.js';

const READS = new Set<string | undefined>([undefined, 'GET', 'HEAD']);
/** Idempotent: if the first attempt was committed despite its 503, the repetition changes nothing. */
const isRepeatable = ({ method, headers }: Send): boolean =>
  READS.has(method) ||
  (method === 'POST' && headers?.['Idempotency-Key'] !== undefined) ||
  (method === 'PATCH' && headers?.['If-Match'] === undefined);

/** An answer, with the decompressed body as text and as JSON. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of many shapes
  json: any;
}

export interface Send {
  method?: string;
  /** API key, sent as Basic. */
  key?: string;
  headers?: Record<string, string>;
  /** Sent as JSON if an object; text and bytes are sent unchanged. */
  body?: unknown;
}

/** A target of requests: one service, or several on one database. */
export interface Sender {
  /** @param path below the host, such as `/api/0.1/assets` */
  send(path: string, options?: Send): Promise<Reply>;
}

/** The real service on a separate port and database. */
export class TestRegistry implements Sender {
  private constructor(
    readonly url: string,
    readonly databaseUrl: string,
    private readonly registry: Registry,
    private readonly database: TestDatabase | undefined,
  ) {}

  /** @param env configuration in addition to database and port */
  static async start(kind: TestDatabaseKind, env: Record<string, string> = {}): Promise<TestRegistry> {
    const database = await kind.create();
    await migrate(database.url);
    return TestRegistry.startOn(database.url, env, database);
  }

  /** Starts on a database that the test drops, unless it passes `owned`. */
  static async startOn(
    databaseUrl: string,
    env: Record<string, string> = {},
    owned?: TestDatabase,
  ): Promise<TestRegistry> {
    const { startRegistry } = await loadService();
    const registry = await startRegistry(testEnvironment(databaseUrl, env));
    return new TestRegistry(await registry.listen(), databaseUrl, registry, owned);
  }

  /** Runs `work` with a registry of another configuration. */
  static async during<T>(
    kind: TestDatabaseKind,
    env: Record<string, string>,
    work: (registry: TestRegistry) => Promise<T>,
  ): Promise<T> {
    const registry = await TestRegistry.start(kind, env);
    try {
      return await work(registry);
    } finally {
      await registry.stop();
    }
  }

  /** Like clients, repeats an idempotent request if it gets 503 while the database stalls, as it may on a busy machine. */
  send(path: string, options: Send = {}): Promise<Reply> {
    return retryUnavailable(
      () => sendTo(this.url, path, options),
      (askedMs) => isRepeatable(options) && stalledSince(askedMs),
    );
  }

  /** URL of its metrics; undefined without METRICS_PORT. */
  get metricsUrl(): string | undefined {
    return this.registry.metricsUrl;
  }

  /** Drains, as SIGTERM does. @param withinMs cuts requests without an answer by then, as after a defect */
  close(withinMs?: number): Promise<void> {
    return this.registry.close(withinMs);
  }

  async drop(): Promise<void> {
    await this.database?.drop();
  }

  async stop(): Promise<void> {
    await this.close();
    await this.drop();
  }
}

/** Sends one request to a service. Not through `fetch`, which uses several times as much processor time. */
export async function sendTo(
  url: string,
  path: string,
  { method = 'GET', key, headers = {}, body }: Send = {},
): Promise<Reply> {
  const target = new URL(url + path);
  const isJson = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);
  const sent = isJson ? JSON.stringify(body) : body;
  const all = new Headers({
    ...(typeof sent === 'string' && { 'Content-Type': isJson ? 'application/json' : 'text/plain;charset=UTF-8' }),
    ...(key !== undefined && { Authorization: basic(key) }),
    ...headers,
  });
  const reply = await exchange(target, { method, headers: Object.fromEntries(all) }, sent);
  const seen = { method, path: target.pathname + target.search, ...reply, headers: new Map(reply.headers) };
  observeAnswer(target.origin, { ...seen, sent: typeof sent === 'string' ? sent : undefined });
  await answersValidated();
  return { ...reply, json: parse(reply.text) };
}

const connections = new Agent({ keepAlive: true });

/** @throws Error without a complete answer */
async function exchange(
  url: URL,
  options: RequestOptions,
  body: string | Uint8Array | undefined,
): Promise<{ status: number; headers: Headers; text: string }> {
  const sent = request(url, { ...options, agent: connections }).end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  // Reading the answer reports the broken connection.
  sent.on('error', () => undefined);
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const text = decoded(await bytesOf(answer), headers.get('content-encoding'));
  return { status: answer.statusCode as number, headers, text: text.toString() };
}

export function basic(key: string): string {
  return `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
}

export function testConfig(databaseUrl: string, env: Record<string, string> = {}): Config {
  return loadConfig(testEnvironment(databaseUrl, env));
}

function testEnvironment(databaseUrl: string, env: Record<string, string>): Record<string, string> {
  const files = { SEARCH_INDEX: 'off', SNAPSHOT_FOLDER: join(tmpdir(), 'snapshots') };
  return { DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'silent', ...files, ...env };
}

/** A TIME_ZONE in which it is about noon: for tests that count the assets of one day. */
export function zoneAtNoon(): string {
  const offset = 12 - new Date().getUTCHours();
  // The names of these zones have the opposite sign.
  return `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
