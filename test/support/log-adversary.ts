import type { DataSource, EntityManager } from 'typeorm';
import { checksumOf, restoredBody } from '../../src/database/kept-body.js';
import { onceFree } from './once-free.js';
import type { Random } from './random.js';

/** A row as its driver gives it. */
type Row = Record<string, unknown>;

/** What an operator does to the database behind the service. @returns the place of the first entry that is wrong then */
export type Attack = (database: OperatedDatabase, random: Random) => Promise<number>;

const TABLES = ['asset', 'revision', 'log_entry', 'log_head'];

/** A registry's database in the hands of somebody who knows how it is kept. */
export class OperatedDatabase {
  private readonly before = new Map<string, Row[]>();

  /** @param earlier a checkpoint that there was, and how far the states were in the log then */
  private constructor(
    private readonly database: DataSource,
    readonly earlier: { size: number; note: string },
  ) {}

  static async take(database: DataSource, earlier: { size: number; note: string }): Promise<OperatedDatabase> {
    const taken = new OperatedDatabase(database, earlier);
    await taken.keepWhole();
    for (const table of TABLES) taken.before.set(table, await taken.run(`SELECT * FROM ${table}`));
    return taken;
  }

  run(sql: string, values: unknown[] = []): Promise<Row[]> {
    return onceFree(() => this.database.query(sql, values));
  }

  /** As it was when it was taken. */
  putBack(): Promise<void> {
    return onceFree(() => this.database.transaction((manager) => this.putBackBy(manager)));
  }

  private async putBackBy(manager: EntityManager): Promise<void> {
    for (const [table, rows] of this.before) {
      await manager.query(`DELETE FROM ${table}`);
      for (const row of rows) {
        const places = Object.keys(row).map(() => '?');
        const sql = `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`;
        await manager.query(sql, Object.values(row));
      }
    }
  }

  /** Public states that have ended, the oldest first. */
  revisions(): Promise<Row[]> {
    return this.run('SELECT * FROM revision WHERE listed = 1 ORDER BY modified_us');
  }

  async placeOf(modifiedUs: unknown): Promise<number> {
    const [row] = await this.run('SELECT place FROM log_entry WHERE modified_us = ?', [modifiedUs]);
    return Number(row?.['place']);
  }

  rewrite(untilUs: unknown, body: unknown, checksum: unknown): Promise<Row[]> {
    return this.run('UPDATE revision SET body = ?, checksum = ? WHERE until_us = ?', [body, checksum, untilUs]);
  }

  /** Each body by itself, so that one can be changed and those before it stay what they were. Readers see no difference. */
  private async keepWhole(): Promise<void> {
    for (const { id, body } of await this.run('SELECT id, body FROM asset')) {
      let after: Buffer = Buffer.from(String(body));
      const sql = 'SELECT * FROM revision WHERE asset = ? ORDER BY until_us DESC';
      for (const row of await this.run(sql, [id])) {
        const [sameStart, sameEnd] = [Number(row['same_start']), Number(row['same_end'])];
        const kept = { body: Buffer.from(String(row['body'])), sameStart, sameEnd };
        after = sameStart + sameEnd === 0 ? kept.body : restoredBody(kept, after);
        const whole = 'UPDATE revision SET body = ?, same_start = 0, same_end = 0 WHERE until_us = ?';
        await this.run(whole, [after.toString(), row['until_us']]);
      }
    }
  }
}

/** With every character as it may be: only the value is another one. */
function tampered(body: unknown, random: Random): string {
  return String(body).replace(/"title":"/, () => `"title":"${random.int(0, 1e9)} `);
}

const changeLogEntry =
  (set: string): Attack =>
  async (database, random) => {
    const { place } = random.pick(await database.run('SELECT place FROM log_entry'));
    await database.run(`UPDATE log_entry SET ${set} WHERE place = ?`, [place]);
    return Number(place);
  };

const OTHER_COMMITMENT = Buffer.alloc(32, 5).toString('base64');

export const ATTACKS: Record<string, Attack> = {
  'changes an earlier state, and its checksum': async (database, random) => {
    const revision = random.pick(await database.revisions());
    const body = tampered(revision['body'], random);
    await database.rewrite(revision['until_us'], body, checksumOf(body));
    return database.placeOf(revision['modified_us']);
  },
  'changes an earlier state, and not its checksum': async (database, random) => {
    const revision = random.pick(await database.revisions());
    await database.rewrite(revision['until_us'], tampered(revision['body'], random), revision['checksum']);
    return database.placeOf(revision['modified_us']);
  },
  'changes the present state': async (database, random) => {
    const asset = random.pick(await database.run('SELECT * FROM asset WHERE feed_us IS NOT NULL'));
    await database.run('UPDATE asset SET body = ? WHERE id = ?', [tampered(asset['body'], random), asset['id']]);
    return database.placeOf(asset['modified_us']);
  },
  'makes the present state no JSON': async (database, random) => {
    const asset = random.pick(await database.run('SELECT * FROM asset WHERE feed_us IS NOT NULL'));
    await database.run('UPDATE asset SET body = ? WHERE id = ?', [`${String(asset['body'])}x`, asset['id']]);
    return database.placeOf(asset['modified_us']);
  },
  'gives an asset to another owner': async (database, random) => {
    const asset = random.pick(await database.run('SELECT * FROM asset WHERE version = 2 AND feed_us IS NOT NULL'));
    await database.run('UPDATE asset SET owner = ? WHERE id = ?', ['somebody', asset['id']]);
    return database.placeOf(asset['modified_us']);
  },
  'deletes an earlier state': async (database, random) => {
    const revision = random.pick(await database.revisions());
    await database.run('DELETE FROM revision WHERE until_us = ?', [revision['until_us']]);
    return database.placeOf(revision['modified_us']);
  },
  'inserts a state that never was': async (database, random) => {
    const revision = random.pick(await database.revisions());
    const us = Number(revision['until_us']) - 1;
    const row: Row = { ...revision, modified_us: us, until_us: us, changed: '["title"]' };
    const sql = `INSERT INTO revision (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row).map(() => '?').join(', ')})`; // prettier-ignore
    await database.run(sql, Object.values(row));
    const [counted] = await database.run('SELECT COUNT(*) AS count FROM log_entry WHERE modified_us < ?', [us]);
    return Number(counted?.['count']);
  },
  'swaps two states': async (database, random) => {
    const revisions = await database.revisions();
    const one = random.pick(revisions);
    // Two that are the same cannot be swapped.
    const other = random.pick(revisions.filter(({ body }) => body !== one['body']));
    await database.rewrite(one['until_us'], other['body'], other['checksum']);
    await database.rewrite(other['until_us'], one['body'], one['checksum']);
    return Math.min(await database.placeOf(one['modified_us']), await database.placeOf(other['modified_us']));
  },
  'deletes an entry': async (database, random) => {
    const { place } = random.pick(await database.run('SELECT place FROM log_entry'));
    await database.run('DELETE FROM log_entry WHERE place = ?', [place]);
    return Number(place);
  },
  'changes when an entry’s asset was created': changeLogEntry('created_us = created_us + 1'),
  'changes the commitment of an entry': changeLogEntry(`commitment = '${OTHER_COMMITMENT}'`),
  'says that a state was damaged': changeLogEntry('commitment = NULL'),
  'changes the asset of an entry': changeLogEntry(`asset = '${'0'.repeat(32)}'`),
  'changes what opens an entry': changeLogEntry(`opening = '{"secret":"${OTHER_COMMITMENT}"}'`),
  'puts the log back to what it was': async (database) => {
    const { size, note } = database.earlier;
    await database.run('DELETE FROM log_entry WHERE place >= ?', [size]);
    await database.run('UPDATE log_head SET size = ?, checkpoint = ? WHERE id = 1', [size, note]);
    return size;
  },
};
