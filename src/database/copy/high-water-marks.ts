import { replacingEpoch } from '../repositories/feed-epoch.js';
import { readHistory, type History } from '../repositories/feed-history.js';
import type { CopiedDatabase } from './copied-database.js';
import { type Row, rowsInOrder } from './rows.js';
import { type CopiedTable, isNumbersTable } from './tables.js';

/** The last instant of a database, and the last number of each local day. */
export interface HighWaterMarks {
  history: History;
  numbers: Map<string, number>;
}

/** Instants and numbers used after the backup, as far as a restore can know. */
export interface AfterBackup {
  /** The replaced database; undefined if missing or unreadable. */
  replaced: HighWaterMarks | undefined;
  /** Instants up to this one, in microseconds, are not used again: now, or the operator's choice. */
  floorUs: number;
  /** Known erasures, whose instants, in microseconds, are used as well. */
  redactions: readonly { us: number }[];
  /** The current time, in microseconds. Instants may be ahead of it; assets are numbered by its day. */
  nowUs: number;
  /** The local day of an instant, `2017-08-16`. */
  dayOf: (us: number) => string;
}

/** If the last number of a day is unknown, numbering continues after the next multiple of this; numbers may exceed six digits. */
const SKIPPED_NUMBERS = 1_000_000;

export async function readHighWaterMarks(database: CopiedDatabase): Promise<HighWaterMarks> {
  const numbers = new Map<string, number>();
  for await (const rows of rowsInOrder(database.session, numbersTable(database))) {
    for (const [day, last] of rows) numbers.set(String(day), Number(last));
  }
  return { history: await readHistory(database.session), numbers };
}

/**
 * The position from which the restored database continues: after every instant and number that may have been used, and with a new epoch.
 */
export function continueFrom(
  backup: HighWaterMarks,
  { replaced, floorUs, redactions, nowUs, dayOf }: AfterBackup,
): HighWaterMarks {
  const erasedUs = redactions.reduce((latest, { us }) => Math.max(latest, us), 0);
  const lastUs = Math.max(backup.history.lastUs, replaced?.history.lastUs ?? 0, floorUs, erasedUs);
  const numbers = new Map(backup.numbers);
  for (const [day, last] of replaced?.numbers ?? []) numbers.set(day, Math.max(last, numbers.get(day) ?? 0));
  if (!isContinuation(replaced?.history, backup.history)) {
    // Only these days can get more numbers.
    for (const day of new Set([dayOf(lastUs), dayOf(nowUs)])) {
      const known = numbers.get(day) ?? 0;
      numbers.set(day, (Math.floor(known / SKIPPED_NUMBERS) + 1) * SKIPPED_NUMBERS);
    }
  }
  return { history: { lastUs, epoch: replacingEpoch(lastUs), copying: null }, numbers };
}

/** Whether the replaced database continued the history that was backed up, and so has its last instant and numbers. */
function isContinuation(replaced: History | undefined, backup: History): boolean {
  return replaced !== undefined && replaced.epoch === backup.epoch && replaced.lastUs >= backup.lastUs;
}

/**
 * Writes the marks in one transaction, which makes the database complete. If instants are ahead of the time, the operator has accepted
 * that, so services trust their clocks.
 */
export async function writeHighWaterMarks(
  database: CopiedDatabase,
  { history, numbers }: HighWaterMarks,
  nowUs: number,
): Promise<void> {
  const table = numbersTable(database);
  const rows: Row[] = [...numbers].map(([day, last]) => table.names.map((name) => (name === 'day' ? day : last)));
  await database.inTransaction(async () => {
    await database.session.execute(`DELETE FROM ${table.name}`);
    await database.session.insertRows({ table: table.name, columns: table.columns }, rows);
    // All codes, because one that was used or replaced since the backup must not become valid again.
    await database.session.execute('DELETE FROM transfer_code');
    await database.writeHistory(history);
    await database.writeWitness(nowUs, Math.max(history.lastUs - nowUs, 0));
  });
}

function numbersTable({ tables }: CopiedDatabase): CopiedTable {
  return tables.find(isNumbersTable) as CopiedTable;
}
