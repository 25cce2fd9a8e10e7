import { replacingEpoch } from '../repositories/feed-epoch.js';
import { readHistory, type History } from '../repositories/feed-history.js';
import type { CopiedDatabase } from './copied-database.js';
import { type Row, rowsInOrder } from './rows.js';
import { type CopiedTable, isNumbers } from './tables.js';

/** What a database has given out: its instants, and the last number of each local day. */
export interface HighWaterMarks {
  history: History;
  numbers: Map<string, number>;
}

/** What a restore has to know of the time that its backup does not cover. */
export interface Lost {
  /** The database that is replaced; undefined where there is none, or it cannot be read. */
  replaced: HighWaterMarks | undefined;
  /** No instant up to this one is given out again, in microseconds: now, or what the operator says. */
  floorUs: number;
  /** What is known to have been erased: the instants, in microseconds, were given out as well. */
  redactions: readonly { us: number }[];
  /** What time it is, in microseconds: instants may go on ahead of it, and then number assets by its day. */
  nowUs: number;
  /** The local day of an instant, `2017-08-16`. */
  dayOf: (us: number) => string;
}

/** Numbers go on behind the next multiple of it where nobody knows how many of a day were given out: they may grow past six digits. */
const SKIPPED_NUMBERS = 1_000_000;

export async function readHighWaterMarks(database: CopiedDatabase): Promise<HighWaterMarks> {
  const numbers = new Map<string, number>();
  for await (const rows of rowsInOrder(database.session, numbersTable(database))) {
    for (const [day, last] of rows) numbers.set(String(day), Number(last));
  }
  return { history: await readHistory(database.session), numbers };
}

/**
 * What the restored database goes on from: behind everything that was given out before, as far as anybody can know, and with an epoch of
 * its own.
 */
export function continueFrom(
  backup: HighWaterMarks,
  { replaced, floorUs, redactions, nowUs, dayOf }: Lost,
): HighWaterMarks {
  const erasedUs = redactions.reduce((latest, { us }) => Math.max(latest, us), 0);
  const lastUs = Math.max(backup.history.lastUs, replaced?.history.lastUs ?? 0, floorUs, erasedUs);
  const numbers = new Map(backup.numbers);
  for (const [day, last] of replaced?.numbers ?? []) numbers.set(day, Math.max(last, numbers.get(day) ?? 0));
  if (!goesOn(replaced?.history, backup.history)) {
    // Later days had no numbers yet, and to earlier ones nothing is added any more.
    for (const day of new Set([dayOf(lastUs), dayOf(nowUs)])) {
      const known = numbers.get(day) ?? 0;
      numbers.set(day, (Math.floor(known / SKIPPED_NUMBERS) + 1) * SKIPPED_NUMBERS);
    }
  }
  return { history: { lastUs, epoch: replacingEpoch(lastUs), copying: null }, numbers };
}

/** Whether the replaced database is what became of the one that was backed up, and so knows all that it has given out. */
function goesOn(replaced: History | undefined, backup: History): boolean {
  return replaced !== undefined && replaced.epoch === backup.epoch && replaced.lastUs >= backup.lastUs;
}

/**
 * All of it at once, with which the database is whole. Where the instants go on ahead of the time, that is the operator's decision, who was told
 * of it: services believe their clocks all the same.
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
    // One that was used or replaced since the backup must not be good again, and nobody knows which.
    await database.session.execute('DELETE FROM transfer_code');
    await database.writeHistory(history);
    await database.writeWitness(nowUs, Math.max(history.lastUs - nowUs, 0));
  });
}

function numbersTable({ tables }: CopiedDatabase): CopiedTable {
  return tables.find(isNumbers) as CopiedTable;
}
