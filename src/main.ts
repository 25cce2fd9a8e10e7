import cluster from 'node:cluster';
import { createApp, type Registry } from './app.js';
import { AssetTypeError } from './asset-types/asset-types.js';
import { DEMO_ACCOUNTS } from './auth/accounts.service.js';
import { type Config, ConfigError, loadConfig } from './config/config.js';
import { DatabaseUnusableError } from './database/dialects/dialect.js';
import { stackOf } from './errors/api-error.filter.js';
import { logger } from './operations/logger.js';
import { MetricsServer, metricsOfWorkers } from './operations/metrics-server.js';
import { type Ready, tellReady, Workers } from './operations/workers.js';

/** Whatever hangs, the process ends by then. */
const END_LIMIT_MS = 24_000;
const CRASH_LIMIT_MS = 5_000;
/** What keeps the service from starting and is said in a sentence. */
const EXPECTED = [AssetTypeError, ConfigError, DatabaseUnusableError];

async function main(): Promise<void> {
  const config = loadConfig();
  logger.level = config.logLevel;
  if (config.workers > 1 && cluster.isPrimary) await keepWorkers(config);
  else await serve(config);
}

async function keepWorkers(config: Config): Promise<void> {
  if (config.metricsPort !== undefined) await MetricsServer.listen(metricsOfWorkers(), config);
  new Workers(config.workers, (ready) => greet(ready, config)).run();
}

async function serve(config: Config): Promise<void> {
  const registry = await createApp(config);
  const ready = { url: await registry.listen(), demoKeys: registry.demoKeys };
  if (cluster.isPrimary) greet(ready, config);
  else tellReady(ready);
  endInOrder(registry);
  await registry.databaseOpened;
}

function greet({ url, demoKeys }: Ready, config: Config): void {
  const workers = config.workers > 1 ? ` with ${config.workers} workers` : '';
  console.log(`Asset registry is listening on ${url}${workers}`);
  if (demoKeys) console.log(firstSteps(url, config));
}

/** What a newcomer needs for the first minute. */
function firstSteps(url: string, config: Config): string {
  const assets = `${url}/api/0.1/assets`;
  const example = 'src/asset-types/basic/basic.example.json';
  return `
  Database   ${config.databaseUrl.startsWith('sqlite:') ? config.databaseUrl : 'MySQL'}
  Demo keys  ${DEMO_ACCOUNTS.map(({ name }) => name).join(', ')} (anyone knows them: for trying only)
  The API    ${url}/docs/

  Try:
    curl -u broker: -H 'Content-Type: application/json' -d @${example} ${assets}
    curl -u broker: -H 'Content-Type: application/json' -X PATCH -d '{"data":{"status":"pending"}}' '${assets}/ID?acc_token=TOKEN'
    curl '${assets}?opt_fields=title,status&opt_pretty=1'
`;
}

/** On a signal everything is answered first; after a defect nobody knows what the process would do next, so it gets little time. */
function endInOrder(registry: Registry): void {
  let exitCode = 0;
  let closing: Promise<never> | undefined;
  const end = (withinMs?: number): void => {
    setTimeout(() => process.exit(exitCode), withinMs ?? END_LIMIT_MS);
    closing ??= registry.close(withinMs).then(() => process.exit(exitCode), fail);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (closing !== undefined) return;
      logger.info({ signal }, 'draining');
      end();
    });
  }
  process.off('uncaughtException', fail);
  process.on('uncaughtException', (error) => {
    logger.fatal({ stack: stackOf(error) }, 'a defect that nobody caught: the process ends');
    exitCode = 1;
    end(CRASH_LIMIT_MS);
  });
}

function fail(error: unknown): never {
  if (EXPECTED.some((kind) => error instanceof kind)) console.error((error as Error).message);
  else if ((error as NodeJS.ErrnoException).syscall === 'listen')
    console.error(`Cannot listen: ${(error as Error).message}`);
  else console.error(error);
  process.exit(1);
}

// A rejection that nobody awaits comes here, too.
process.on('uncaughtException', fail);
main().catch(fail);
