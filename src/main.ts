#!/usr/bin/env node
import './supported-node.js';
// The real console, for messages to the operator; the global one writes to the log.
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
import { logger, printLine, stackOf, redirectConsole } from './platform/logging/logger.js';
import { SHUTDOWN_SIGNALS } from './operations/shutdown-signals.js';

interface Options {
  /** Fill an empty registry with examples. */
  demo?: true;
}

interface Started {
  url: string;
  demoKeys: boolean;
  /** Whether there is no asset yet; false without demo keys. */
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
  redirectConsole();
  for (const warning of config.warnings) logger.warn(warning);
  await serve(config, options.demo ? await importExamples(config) : undefined);
}

/** @param examples result of adding them; undefined without --demo */
async function serve(config: Config, examples: string | undefined): Promise<void> {
  // Loaded only here, so that a wrong setting is reported without loading a thousand modules.
  const { createApp } = await import('./app.js');
  const registry = await createApp(config);
  const url = await registry.listen();
  handleShutdown(registry);
  const { demoKeys } = registry;
  const started = { url, demoKeys, isEmpty: demoKeys && (await registry.isEmpty()) };
  logListening(started, config);
  if (demoKeys) printLine(firstSteps(started, config, examples));
  await registry.databaseOpened;
}

/** Logged at any LOG_LEVEL, because scripts wait for this line. */
function logListening({ url }: Started, { production }: Config): void {
  const msg = `Asset registry is listening on ${url} (version ${VERSION})`;
  // The message is first, so that in both formats the first URL of the line ends at a space.
  if (production) logger.child({}, { level: 'info' }).info({ msg, url, version: VERSION });
  else printLine(msg);
}

/** Instructions for the first minute of a new user. */
function firstSteps({ url, isEmpty }: Started, config: Config, examples?: string): string {
  const base = config.publicUrl ?? url;
  const assets = `${base}/api/0.1/assets`;
  const offered = isEmpty ? 'none yet: "npx asset-registry --demo" adds some' : undefined;
  const shown = examples ?? offered;
  return `
  Look       ${base}/
  The API    ${base}/docs/
  Changes    ${base}/changes.atom
  Database   ${config.databaseUrl.startsWith('sqlite:') ? config.databaseUrl : 'MySQL'}
  Demo keys  ${DEMO_ACCOUNTS.map(({ name }) => name).join(', ')} (anyone knows them: for trying only)${shown === undefined ? '' : `\n  Examples   ${shown}`}

  Try:
    curl -u broker: -H 'Content-Type: application/json' -d @${EXAMPLE_FILE} ${assets}
    curl -u broker: -H 'Content-Type: application/json' -X PATCH -d '{"data":{"status":"pending"}}' '${assets}/ID?acc_token=TOKEN'
    curl '${assets}?opt_fields=title,status&opt_pretty=1'
`;
}

/** On a signal, finishes running requests; after an uncaught error only briefly, because the state of the process is unknown. */
function handleShutdown(registry: Registry): void {
  let exitCode = 0;
  let closing: Promise<never> | undefined;
  const end = (withinMs?: number): void => {
    setTimeout(() => process.exit(exitCode), withinMs ?? TIME_BUDGETS_MS.shutdown);
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
    logger.fatal({ stack: stackOf(error) }, 'an uncaught error: the process ends');
    exitCode = 1;
    end(TIME_BUDGETS_MS.shutdownAfterDefect);
  });
}

/** System calls of listening; HOST may be a name, which is resolved first. */
const LISTEN_SYSCALLS: ReadonlySet<string | undefined> = new Set(['listen', 'bind', 'getaddrinfo']);

function fail(error: unknown): never {
  if (error instanceof StartError) console.error(error.message);
  else if (LISTEN_SYSCALLS.has((error as NodeJS.ErrnoException).syscall))
    console.error(`Cannot listen: ${(error as Error).message}${remedyOf(error as NodeJS.ErrnoException)}`);
  else console.error(error);
  process.exit(1);
}

function remedyOf({ code, syscall }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return '. End the process that listens there, or choose another PORT or METRICS_PORT';
  if (code === 'EACCES') return '. This user may not listen on such a low port: choose another PORT or METRICS_PORT';
  const isOfHost = syscall === 'getaddrinfo' || code === 'EADDRNOTAVAIL';
  return isOfHost
    ? '. HOST, or METRICS_HOST, must be an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all'
    : '';
}

// Unhandled rejections arrive here, too.
process.on('uncaughtException', fail);
main().catch(fail);
