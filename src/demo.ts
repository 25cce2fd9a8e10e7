import { loadAssetTypes } from './asset-types/packaged-types.js';
import { ImportCheck } from './assets/import/import-check.js';
import { ImportMap } from './assets/import/import-map.js';
import type { NumberedLine } from './assets/import/json-lines.js';
import { AccountsService } from './auth/accounts.service.js';
import { operatorNow } from './auth/operator.js';
import { progressBar } from './cli/progress-bar.js';
import { onDatabaseOf } from './cli/with-registry.js';
import { importAssets } from './database/copy/import-assets.js';
import { StagedAssets } from './database/copy/staged-assets.js';
import { Database } from './database/database.js';
import { IncompleteDatabaseError } from './database/repositories/feed-history.js';
import { newId } from './feed/asset-identifiers.js';
import type { Config } from './platform/config/config.js';
import { StartError } from './platform/errors/start-error.js';
import { RegistryTime } from './platform/time/registry-time.js';

const START_AGAIN = '\nIf --demo was interrupted before, start again with an empty database';
const NO_PROGRESS = { begin: () => undefined, reach: () => undefined, end: () => undefined };

/** Called before anything starts. @throws StartError if examples must not be added */
export function assertDemoIsAllowed({ production, demoKeys, clusterServerId }: Config): void {
  if (production) throw new StartError('--demo is refused with NODE_ENV=production: examples are not real assets');
  if (!demoKeys) throw new StartError('--demo adds examples of the demo accounts, but DEMO_KEYS is off');
  if (clusterServerId !== undefined) throw new StartError('--demo is for trying, and not for cluster mode');
}

/**
 * Imports examples into a registry without assets, before it is served.
 * @returns a phrase for the operator
 * @throws StartError if there are other accounts, or the database cannot be used
 */
export async function importExamples(config: Config): Promise<string> {
  try {
    if (!(await isEmpty(config))) return 'not added: the registry has assets already';
    return await importInto(config);
  } catch (error) {
    const remedy = error instanceof IncompleteDatabaseError ? START_AGAIN : '';
    throw new StartError(`No examples were added: ${(error as Error).message}${remedy}`, { cause: error });
  }
}

/** Creates the demo keys first, because an import creates accounts without keys. */
async function isEmpty(config: Config): Promise<boolean> {
  let rows: unknown[] = [];
  await onDatabaseOf(config, async (registry) => {
    if (!(await registry.get(AccountsService).installDemoKeys()))
      throw new Error('they belong to the demo accounts, and this registry has others');
    rows = await registry.get(Database).read('SELECT id FROM asset LIMIT 1');
  });
  return rows.length === 0;
}

async function importInto({ databaseUrl, timeZone, assetTypes, assetIdPrefix: prefix }: Config): Promise<string> {
  // The package of examples (clients/demo), loaded only here.
  const { exampleStates } = await import('#demo');
  const time = new RegistryTime(timeZone);
  const operator = operatorNow();
  const { us: nowUs } = operator;
  const dayOf = (us: number): string => time.day(us);
  const states = exampleStates({ nowMs: nowUs / 1_000, dayOf: (ms) => dayOf(ms * 1_000), prefix });
  const staged = await StagedAssets.create();
  try {
    const rules = { types: await loadAssetTypes(assetTypes), time, map: ImportMap.NONE, nowUs };
    const checked = await new ImportCheck(rules, staged).run(linesOf(states), () => undefined);
    const [fault] = checked.faults;
    if (fault !== undefined) throw new Error(`line ${fault.line}: ${fault.name}: ${fault.description}`);
    const importOptions = { source: '--demo', numbers: checked.numbers, nowUs, dayOf, newId, operator };
    await importAssets(databaseUrl, staged, importOptions, process.stderr.isTTY ? progressBar() : NO_PROGRESS);
    return `${checked.assets} assets, in all states, with their histories over two years`;
  } finally {
    await staged.remove();
  }
}

async function* linesOf(states: readonly object[]): AsyncGenerator<NumberedLine> {
  for (const [i, state] of states.entries())
    yield await Promise.resolve({ number: i + 1, text: JSON.stringify(state), isUtf8: true });
}
