#!/usr/bin/env node
import './supported-node.js';
// What is said to people stays theirs: the global one is the log's.
import console from 'node:console';
import { Command } from 'commander';
import type { Registry } from './app.js';
import { EXAMPLE_FILE } from './asset-types/basic/example-file.js';
import { DEMO_ACCOUNTS } from './auth/demo-accounts.js';
import { type Config, loadConfig } from './platform/config/config.js';
import { readEnvFile } from './platform/config/env-file.js';
import { TIME_BUDGETS_MS } from './platform/config/time-budgets.js';
import { VERSION } from './platform/config/version.js';
import { assertDemoIsAllowed, importExamples } from './demo.js';
import { StartError } from './platform/errors/start-error.js';
import { logger, printLine, stackOf, takeConsole } from './platform/logging/logger.js';
import { SHUTDOWN_SIGNALS } from './operations/shutdown-signals.js';

interface Options {
  /** Fill an empty registry with examples. */
  demo?: true;
}

/** A service that listens. */
interface Started {
  url: string;
  demoKeys: boolean;
  /** Whether there is no asset yet; only known where the demo keys work. */
  isEmpty: boolean;
}

function readOptions(): Options {
  return new Command('asset-registry')
    .description('Serves the asset registry; the environment configures it (docs/configuration.md)')
    .version(VERSION)
    .option('--demo', 'fill an empty registry with examples; for trying only')
    .showHelpAfterError()
    .parse()
    .opts<Options>();
}

async function main(): Promise<void> {
  const options = readOptions();
  readEnvFile();
  const config = loadConfig();
  if (config.demo) options.demo = true;
  if (options.demo) assertDemoIsAllowed(config);
  logger.level = config.logLevel;
  takeConsole();
  for (const warning of config.warnings) logger.warn(warning);
  await serve(config, options.demo ? await importExamples(config) : undefined);
}

/** @param examples what became of them; undefined where they were not asked for */
async function serve(config: Config, examples: string | undefined): Promise<void> {
  // Only here: a wrong setting is told without loading a thousand modules.
  const { createApp } = await import('./app.js');
  const registry = await createApp(config);
  const url = await registry.listen();
  endInOrder(registry);
  const { demoKeys } = registry;
  const started = { url, demoKeys, isEmpty: demoKeys && (await registry.isEmpty()) };
  tellListening(started, config);
  if (demoKeys) printLine(firstSteps(started, config, examples));
  await registry.databaseOpened;
}

/** Scripts wait for this line, so that no LOG_LEVEL keeps it back. */
function tellListening({ url }: Started, { production }: Config): void {
  const msg = `Asset registry is listening on ${url} (version ${VERSION})`;
  // The text before the members: whoever takes the first URL of the line, up to a blank, finds it in either form.
  if (production) logger.child({}, { level: 'info' }).info({ msg, url, version: VERSION });
  else printLine(msg);
}

/** What a newcomer needs for the first minute. */
function firstSteps({ url, isEmpty }: Started, config: Config, examples?: string): string {
  const base = config.publicUrl ?? url;
  const assets = `${base}/api/0.1/assets`;
  const offered = isEmpty ? 'none yet: "npx asset-registry --demo" adds some' : undefined;
  const told = examples ?? offered;
  return `
  Look       ${base}/
  The API    ${base}/docs/
  Changes    ${base}/changes.atom
  Database   ${config.databaseUrl.startsWith('sqlite:') ? config.databaseUrl : 'MySQL'}
  Demo keys  ${DEMO_ACCOUNTS.map(({ name }) => name).join(', ')} (anyone knows them: for trying only)${told === undefined ? '' : `\n  Examples   ${told}`}

  Try:
    curl -u broker: -H 'Content-Type: application/json' -d @${EXAMPLE_FILE} ${assets}
    curl -u broker: -H 'Content-Type: application/json' -X PATCH -d '{"data":{"status":"pending"}}' '${assets}/ID?acc_token=TOKEN'
    curl '${assets}?opt_fields=title,status&opt_pretty=1'
`;
}

/** On a signal everything is answered first; after a defect nobody knows what the process would do next, so it gets little time. */
function endInOrder(registry: Registry): void {
  let exitCode = 0;
  let closing: Promise<never> | undefined;
  const end = (withinMs?: number): void => {
    setTimeout(() => process.exit(exitCode), withinMs ?? TIME_BUDGETS_MS.end);
    closing ??= registry.close(withinMs).then(() => process.exit(exitCode), fail);
  };
  for (const signal of SHUTDOWN_SIGNALS) {
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
    end(TIME_BUDGETS_MS.endAfterDefect);
  });
}

/** HOST may be a name, whose address is asked for first. */
const OF_LISTENING: ReadonlySet<string | undefined> = new Set(['listen', 'bind', 'getaddrinfo']);

function fail(error: unknown): never {
  if (error instanceof StartError) console.error(error.message);
  else if (OF_LISTENING.has((error as NodeJS.ErrnoException).syscall))
    console.error(`Cannot listen: ${(error as Error).message}${remedyOf(error as NodeJS.ErrnoException)}`);
  else console.error(error);
  process.exit(1);
}

function remedyOf({ code, syscall }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return '. End the process that listens there, or choose another PORT or METRICS_PORT';
  if (code === 'EACCES') return '. This user may not listen on a port so low: choose another PORT or METRICS_PORT';
  const isOfHost = syscall === 'getaddrinfo' || code === 'EADDRNOTAVAIL';
  return isOfHost
    ? '. HOST, or METRICS_HOST, is an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all'
    : '';
}

// A rejection that nobody awaits comes here, too.
process.on('uncaughtException', fail);
main().catch(fail);
