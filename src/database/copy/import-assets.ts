import { Account } from '../entities/account.entity.js';
import { Asset } from '../entities/asset.entity.js';
import { EntityTable } from '../entities/entity-table.js';
import { Revision } from '../entities/revision.entity.js';
import type { History } from '../repositories/feed-history.js';
import { writeAudit, type Operator } from './audit-command.js';
import { CopiedDatabase } from './copied-database.js';
import { copyTables, emptyTables } from './copy-tables.js';
import { assertEqual, compareTables } from './digest.js';
import { continueFrom, readHighWaterMarks, writeHighWaterMarks } from './high-water-marks.js';
import type { Progress } from './progress.js';
import { countRows } from './rows.js';
import type { StagedAssets } from './staged-assets.js';
import type { CopiedTable } from './tables.js';

const MARK = 'import';
const ACCOUNTS = EntityTable.of(Account);

export interface ImportOptions {
  /** The file's name, for the audit. */
  source: string;
  /** The last number of each local day, by the day. */
  numbers: ReadonlyMap<string, number>;
  /** The current time, in microseconds. */
  nowUs: number;
  /** The local day of an instant, `2017-08-16`. */
  dayOf: (us: number) => string;
  /** Creates an id for a new account. */
  newId: () => string;
  operator: Operator;
}

export interface Imported {
  history: History;
  /** Names of the accounts that were created. */
  accounts: readonly string[];
}

/** Call before the file is read. @throws Error if the registry has assets */
export async function assertImportable(databaseUrl: string): Promise<void> {
  const target = await CopiedDatabase.open(databaseUrl, 'write');
  try {
    await target.claim();
    await target.migrate();
    const { history } = await readHighWaterMarks(target);
    await assertEmpty(target, history);
  } finally {
    await target.close();
  }
}

/**
 * Imports assets with their histories into a registry that has none, in portions. Until the end the database is marked as incomplete, so no
 * service serves it; an interrupted import starts again. Accounts and keys stay, and the history gets a new epoch.
 * @throws Error, without changes, if the registry cannot be imported into
 */
export async function importAssets(
  databaseUrl: string,
  staged: StagedAssets,
  options: ImportOptions,
  progress: Progress,
): Promise<Imported> {
  const target = await CopiedDatabase.open(databaseUrl, 'write');
  try {
    await target.claim();
    const found = await readHighWaterMarks(target);
    await assertEmpty(target, found.history);
    await target.markIncomplete(found.history, MARK);
    await emptyTables(target, isImported);
    await copyTables(staged.database, target, progress, isImported);
    assertEqual(await compareTables(staged.database, target, progress, isImported));
    const accounts = await insertAccounts(target, await staged.owners(), options);
    await writeAudit(target, { ...options.operator, action: 'db.import', detail: { from: options.source } });
    const imported = { history: found.history, numbers: new Map(options.numbers) };
    const { nowUs, dayOf } = options;
    const floorUs = Math.max(nowUs, await staged.lastUs());
    const next = continueFrom(imported, { replaced: found, floorUs, redactions: [], nowUs, dayOf });
    await writeHighWaterMarks(target, next, nowUs);
    return { history: next.history, accounts };
  } finally {
    await target.close();
  }
}

function isImported({ entity }: CopiedTable): boolean {
  return entity === Asset || entity === Revision;
}

function isAsset({ entity }: CopiedTable): boolean {
  return entity === Asset;
}

async function assertEmpty(target: CopiedDatabase, { copying }: History): Promise<void> {
  if (copying === MARK) return;
  if (copying !== null)
    throw new Error(
      `${target.name} is incomplete after another restore or move: run that again, or use an empty database`,
    );
  const table = target.tables.find(isAsset) as CopiedTable;
  const rows = await countRows(target.session, table);
  if (rows > 0)
    throw new Error(`${target.name} has ${rows} assets, including drafts: an import needs a registry without any`);
}

/** Creates missing owners' accounts, disabled until they get a key. @returns their names */
async function insertAccounts(
  { session }: CopiedDatabase,
  owners: readonly string[],
  { nowUs, newId }: ImportOptions,
): Promise<string[]> {
  const there = new Set((await session.query<{ name: string }>('SELECT name FROM account')).map(({ name }) => name));
  const missing = owners.filter((name) => !there.has(name));
  const accounts = missing.map((name): Account => ({
    id: newId(),
    name,
    role: 'broker',
    createdUs: nowUs,
    disabledUs: nowUs,
    displayName: null,
  }));
  if (accounts.length > 0) await session.insertRows(ACCOUNTS, ACCOUNTS.toRows(accounts));
  return missing;
}
