import type { RegistryTime } from '../platform/time/registry-time.js';
import { shownIn } from './instants.js';

/** Cells of a row by the headings of their columns; null for an empty one. */
type ListedRow = Readonly<Record<string, unknown>>;

/** The option of every command that lists. */
export const JSON_OPTION = ['--json', 'one JSON object a line'] as const;

export interface ListingOptions {
  json?: true;
}

/** Lists rows, all with the same headings, on the console: for people, or one JSON object a line. */
export function list(rows: readonly ListedRow[], { json }: ListingOptions): void {
  if (json) for (const row of rows) console.log(JSON.stringify(row));
  else console.log(rows.length === 0 ? 'None' : tableOf(rows));
}

/** How instants are listed, in the registry's time zone: exact in JSON, to the second for people. */
export function listedIn(time: RegistryTime, { json }: ListingOptions): (us: number | null) => string | null {
  const shown = json ? (us: number): string => time.print(us) : shownIn(time);
  return (us) => (us === null ? null : shown(us));
}

/** Headings, and columns as wide as what is in them: numbers to the right, all else to the left. */
function tableOf(rows: readonly ListedRow[]): string {
  const headings = Object.keys(rows[0] as ListedRow);
  const columns = headings.map((heading) => {
    const cells = rows.map((row) => row[heading]);
    const texts = [heading.toUpperCase(), ...cells.map(textOf)];
    const width = texts.reduce((most, { length }) => Math.max(most, length), 0);
    return cells.every((cell) => typeof cell === 'number')
      ? texts.map((text) => text.padStart(width))
      : texts.map((text) => text.padEnd(width));
  });
  const lines = [headings, ...rows].map((_, i) => columns.map((texts) => texts[i]).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}

function textOf(cell: unknown): string {
  if (cell === null) return '-';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}
