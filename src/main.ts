import cluster from 'node:cluster';
import { createApp, type Registry } from './app.js';
import { DEMO_ACCOUNTS } from './auth/accounts.service.js';
import { type Config, ConfigError, loadConfig } from './config/config.js';
import { DatabaseUnusableError } from './database/dialects/dialect.js';
import { logger } from './operations/logger.js';
import { type Ready, tellReady, Workers } from './operations/workers.js';

async function main(): Promise<void> {
  const config = loadConfig();
  logger.level = config.logLevel;
  if (config.workers > 1 && cluster.isPrimary) new Workers(config.workers, (ready) => greet(ready, config)).run();
  else await serve(config);
}

async function serve(config: Config): Promise<void> {
  const registry = await createApp(config);
  const ready = { url: await registry.listen(), demoKeys: registry.demoKeys };
  if (cluster.isPrimary) greet(ready, config);
  else tellReady(ready);
  endOnSignal(registry);
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

  Try:
    curl -u broker: -H 'Content-Type: application/json' -d @${example} ${assets}
    curl -u broker: -H 'Content-Type: application/json' -X PATCH -d '{"data":{"status":"pending"}}' '${assets}/ID?acc_token=TOKEN'
    curl '${assets}?opt_fields=title,status&opt_pretty=1'
`;
}

function endOnSignal(registry: Registry): void {
  let ending = false;
  const end = (signal: string): void => {
    if (ending) return;
    ending = true;
    logger.info({ signal }, 'draining');
    registry.close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

function fail(error: unknown): never {
  const expected = error instanceof ConfigError || error instanceof DatabaseUnusableError;
  if (expected) console.error(error.message);
  else if ((error as NodeJS.ErrnoException).syscall === 'listen')
    console.error(`Cannot listen: ${(error as Error).message}`);
  else console.error(error);
  process.exit(1);
}

process.on('unhandledRejection', fail);
main().catch(fail);
