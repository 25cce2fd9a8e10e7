import { Account } from '../entities/account.entity.js';
import { Asset } from '../entities/asset.entity.js';
import { EntityTable } from '../entities/entity-table.js';
import { Revision } from '../entities/revision.entity.js';
import type { History } from '../repositories/feed-history.js';
import { auditIn, type Operator } from './audit-command.js';
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

/** What an import brings beside the assets. */
export interface ImportOrder {
  /** Of the file, for the audit. */
  source: string;
  /** The last number of each local day, by the day. */
  numbers: ReadonlyMap<string, number>;
  /** What time it is, in microseconds. */
  nowUs: number;
  /** The local day of an instant, `2017-08-16`. */
  dayOf: (us: number) => string;
  /** Gives an id to a new account. */
  newId: () => string;
  operator: Operator;
}

/** What an import has made. */
export interface Imported {
  history: History;
  /** Names of the accounts that were made. */
  accounts: readonly string[];
}

/** Refuses a registry that has assets, before any time is spent on the file. @throws Error with a sentence for the operator */
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
 * Brings assets with their histories into a registry that has none, in portions. Until the end the database says that it is not whole, so no service serves it; an
 * import that was broken off is begun again. Accounts and keys stay, and the history gets another epoch.
 * @throws Error when something has to be seen to first; nothing was changed then
 */
export async function importAssets(
  databaseUrl: string,
  staged: StagedAssets,
  order: ImportOrder,
  progress: Progress,
): Promise<Imported> {
  const target = await CopiedDatabase.open(databaseUrl, 'write');
  try {
    await target.claim();
    const found = await readHighWaterMarks(target);
    await assertEmpty(target, found.history);
    await target.markHalf(found.history, MARK);
    await emptyTables(target, isImported);
    await copyTables(staged.database, target, progress, isImported);
    assertEqual(await compareTables(staged.database, target, progress, isImported));
    const accounts = await insertAccounts(target, await staged.owners(), order);
    await auditIn(target, { ...order.operator, action: 'db.import', detail: { from: order.source } });
    const brought = { history: found.history, numbers: new Map(order.numbers) };
    const { nowUs, dayOf } = order;
    const floorUs = Math.max(nowUs, await staged.lastUs());
    const next = continueFrom(brought, { replaced: found, floorUs, redactions: [], nowUs, dayOf });
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
    throw new Error(`${target.name} is half of another restore or move: run that again, or use an empty database`);
  const table = target.tables.find(isAsset) as CopiedTable;
  const rows = await countRows(target.session, table);
  if (rows > 0)
    throw new Error(`${target.name} has ${rows} assets, drafts among them: an import needs a registry without any`);
}

/** An owner that is not there yet gets an account, which is disabled until it gets a key. @returns names of those */
async function insertAccounts(
  { session }: CopiedDatabase,
  owners: readonly string[],
  { nowUs, newId }: ImportOrder,
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
