import 'reflect-metadata';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamicModule, INestApplication, NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { AssetTypeError } from './asset-types/asset-types.js';
import { AccountsService } from './auth/accounts.service.js';
import { BrokerKeyGuard } from './auth/broker-key.guard.js';
import { ClockMonitor } from './feed/clock/clock-monitor.js';
import type { Config } from './platform/config/config.js';
import { TIME_BUDGETS_MS } from './platform/config/time-budgets.js';
import { Database } from './database/database.js';
import { OpenApiService } from './openapi/openapi.service.js';
import { admission } from './operations/admission.js';
import { clusterMember } from './operations/cluster-cookie.js';
import { Drain } from './http/drain.js';
import { Origins } from './http/origins.js';
import { readJsonBody } from './http/json-body.js';
import { isLoopback, listen } from './http/listen.js';
import { queryCheck } from './http/query-parameters.js';
import { RegistryAdapter } from './http/registry-adapter.js';
import { checkExpectation, checkRequestHead } from './http/request-head.js';
import { DOCS_PATH, swaggerUi } from './http/swagger-ui.js';
import { Ledger } from './feed/writing/ledger.js';
import { ShutdownState } from './operations/shutdown-state.js';
import { StartError } from './platform/errors/start-error.js';
import { ShownAssets } from './feed/reading/shown-assets.js';
import { logger } from './platform/logging/logger.js';
import { NestLogger } from './platform/logging/nest-logger.js';
import { loadPackagedModules } from './modules/packaged-modules.js';
import { eventChecks } from './listing/feed-pages.js';
import { LiveListing } from './listing/live/live-listing.js';
import { Metrics } from './operations/metrics.js';
import { MetricsServer } from './operations/metrics-server.js';
import { RateLimits } from './http/limits/rate-limits.js';
import { logRequests } from './operations/request-log.js';
import { logChecks } from './log/log-query.js';
import { IndexFollower } from './search/index-follower.js';
import { SearchChecks } from './search/search-checks.js';
import { RegistryTime } from './platform/time/registry-time.js';

const REOPEN_PAUSE_MS = 500;
const BACKLOG = 4_096;

/** The assembled service. */
export interface Registry {
  /** Starts listening. @returns the URL with the actual port */
  listen(): Promise<string>;
  /** Resolves once the database is in use; rejects with DatabaseUnusableError if it must not be used. */
  readonly databaseOpened: Promise<void>;
  /** URL of the metrics, once the service listens; undefined: off. */
  readonly metricsUrl: string | undefined;
  /** Whether the demo keys work; false until the database is open. */
  readonly demoKeys: boolean;
  /** Whether there is no asset, not even a draft; false if the database is down. */
  isEmpty(): Promise<boolean>;
  /**
   * Finishes running requests, then stops. New requests are accepted until DRAIN_DELAY is over.
   * @param withinMs stops at once and cuts requests without an answer by then, for a process after a defect
   */
  close(withinMs?: number): Promise<void>;
}

/** Creates Nest's application from the root module; a test may replace providers here. */
export type MakeApplication = (
  root: DynamicModule,
  adapter: RegistryAdapter,
  options: NestApplicationOptions,
) => Promise<INestApplication>;

const makeApplication: MakeApplication = (root, adapter, options) => NestFactory.create(root, adapter, options);

/**
 * Assembles the service; tests start it with this function too. If the database is down, it is opened later.
 * @throws StartError if an asset type or a module cannot be installed, or the database must not be used
 */
export async function createApp(config: Config, make = makeApplication): Promise<Registry> {
  logger.level = config.logLevel;
  const adapter = new RegistryAdapter();
  adapter.set('trust proxy', config.trustProxy);
  const options = { bodyParser: false, abortOnError: false, logger: false } as const;
  const root = AppModule.with(config, await loadPackagedModules(config.modules));
  const app = await make(root, adapter, options).catch(toStartError);
  app.useLogger(new NestLogger());
  addMiddlewares(adapter, app, config);
  adapter.use(DOCS_PATH, swaggerUi());
  app.get(OpenApiService).useControllersOf(app);
  await app.init();
  try {
    return await start(app, config);
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Adds the middlewares of every request, in the contract's order (section 8). */
function addMiddlewares(adapter: RegistryAdapter, app: INestApplication, config: Config): void {
  const { clusterServerId, metricsPort } = config;
  const member = clusterServerId === undefined ? undefined : clusterMember(clusterServerId);
  const limits = app.get(RateLimits);
  // Decided once, because the level never changes.
  if (logger.isLevelEnabled('info')) adapter.addMiddleware(logRequests((request) => limits.clientOf(request)));
  if (metricsPort !== undefined) adapter.addMiddleware(app.get(Metrics).timeRequest);
  adapter.addMiddleware(app.get(Origins).noticeProxy);
  if (member !== undefined) adapter.addMiddleware(member.greet);
  adapter.addMiddleware(checkRequestHead);
  const time = app.get(RegistryTime);
  const checks = [app.get(SearchChecks).byTemplate, eventChecks(time), logChecks()];
  adapter.addMiddleware(queryCheck(adapter.routes, time, checks));
  if (member !== undefined) adapter.addMiddleware(member.refuse);
  adapter.addMiddleware(checkExpectation);
  adapter.addMiddleware(limits.readLimit(adapter.routes, BrokerKeyGuard));
  adapter.useAdmission(admission(config), readJsonBody(config));
}

/** Converts the errors of asset-types/, which may not import StartError. */
function toStartError(error: unknown): never {
  throw error instanceof AssetTypeError ? new StartError(error.message) : error;
}

interface State {
  closed: boolean;
  demoKeys: boolean;
  metrics: MetricsServer | undefined;
}

async function start(app: INestApplication<Server>, config: Config): Promise<Registry> {
  const server = app.getHttpServer();
  const { host, port } = config;
  const drain = new Drain(server);
  app.get(Database).claim();
  const state: State = { closed: false, demoKeys: false, metrics: undefined };
  const { databaseOpened } = await beginOpening(app, config, state);
  // Not earlier, because the index may belong to another process that serves the database.
  void app.get(IndexFollower).tick();
  return {
    databaseOpened,
    get demoKeys() {
      return state.demoKeys;
    },
    get metricsUrl() {
      return state.metrics?.url;
    },
    isEmpty: () => hasNoAsset(app.get(ShownAssets)),
    listen: async () => {
      state.metrics = await serveMetrics(app.get(Metrics), config);
      return listen(server, { host, port, backlog: BACKLOG });
    },
    close: async (withinMs) => {
      state.closed = true;
      await drainAll(app, drain, config, withinMs);
      await state.metrics?.close();
      await app.close();
    },
  };
}

/** Opens the database, or retries in the background. @returns the promise in an object, so that the caller does not await it */
async function beginOpening(
  app: INestApplication,
  config: Config,
  state: State,
): Promise<Pick<Registry, 'databaseOpened'>> {
  const prepareKeys = async (): Promise<void> => {
    if (config.production) await app.get(AccountsService).assertNoDemoKeys();
    state.demoKeys = config.demoKeys && (await app.get(AccountsService).installDemoKeys());
    if (state.demoKeys && !isLoopback(config.host))
      logger.warn(
        'HOST is reachable from other machines, and the public demo keys are accepted: anyone there can write. NODE_ENV=production refuses these keys',
      );
  };
  const open = (): Promise<boolean> => openDatabase(app.get(Database), prepareKeys, app.get(ClockMonitor));
  const databaseOpened = (await open()) ? Promise.resolve() : retryOpening(open, () => state.closed);
  // Callers may await it; an unhandled rejection must not end the process.
  databaseOpened.catch(() => undefined);
  return { databaseOpened };
}

async function hasNoAsset(assets: ShownAssets): Promise<boolean> {
  return !(await assets.anyExists().catch(() => true));
}

/** Ends readiness, then the listener, then running requests. @param withinMs after a defect: without delay, and at most this long */
async function drainAll(app: INestApplication, drain: Drain, config: Config, withinMs?: number): Promise<void> {
  app.get(ShutdownState).begin();
  drain.begin();
  const delayMs = withinMs === undefined ? config.drainDelayMs : 0;
  await sleep(delayMs);
  await app.get(LiveListing).end();
  const cut = await drain.end(withinMs ?? TIME_BUDGETS_MS.drain - delayMs);
  if (cut > 0) logger.warn({ connections: cut }, 'connections were cut at the end of the drain');
  await app.get(Ledger).idle();
}

/** @returns undefined if metrics are off */
async function serveMetrics(metrics: Metrics, config: Config): Promise<MetricsServer | undefined> {
  if (config.metricsPort === undefined) return undefined;
  metrics.watchProcess();
  return MetricsServer.listen(metrics.registry, config);
}

/** @returns false if the database is down */
async function openDatabase(
  database: Database,
  beforeUse: () => Promise<void>,
  clockMonitor: ClockMonitor,
): Promise<boolean> {
  try {
    await database.open(beforeUse);
    await clockMonitor.begin();
    if (database.durability.warning !== undefined) logger.warn(database.durability.warning);
    return true;
  } catch (error) {
    if (!database.reportOutage(error)) throw error;
    return false;
  }
}

async function retryOpening(open: () => Promise<boolean>, isClosed: () => boolean): Promise<void> {
  do await sleep(REOPEN_PAUSE_MS);
  while (!isClosed() && !(await open()));
}
