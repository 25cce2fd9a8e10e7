import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createConnection } from 'mysql2/promise';

/** The whole contents of a database as one text: every table, log and journal that we can read. */
export function dumpOf(databaseUrl: string): Promise<string> {
  return databaseUrl.startsWith('sqlite:')
    ? filesInFolderOf(databaseUrl.slice('sqlite:'.length))
    : tablesOf(databaseUrl);
}

/** The database file, its WAL and all other files in its folder, which may still contain deleted rows. */
async function filesInFolderOf(path: string): Promise<string> {
  const folder = dirname(path);
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')));
  return files.join('\n');
}

async function tablesOf(databaseUrl: string): Promise<string> {
  const connection = await createConnection(databaseUrl);
  try {
    const [tables] = await connection.query('SHOW TABLES');
    const names = (tables as Record<string, string>[]).flatMap((row) => Object.values(row));
    const rows = [];
    for (const name of names) rows.push([name, (await connection.query('SELECT * FROM ??', [name]))[0]]);
    return JSON.stringify(rows);
  } finally {
    await connection.end();
  }
}

/** The names of the canaries that occur in `text`, also encoded as in Basic, JSON or a URL. */
export function canariesIn(text: string, canaries: Record<string, string>): string[] {
  return Object.entries(canaries)
    .filter(([, canary]) => spellings(canary).some((spelling) => text.includes(spelling)))
    .map(([name]) => name);
}

/** Base64 of the same bytes depends on their offset modulo 3, except for the middle. */
function spellings(canary: string): string[] {
  const encoded = ['', 'x', 'xx'].map((before) =>
    Buffer.from(before + canary)
      .toString('base64')
      .slice(4, -4),
  );
  return [canary, encodeURIComponent(canary), ...encoded];
}
