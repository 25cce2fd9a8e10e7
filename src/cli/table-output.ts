import type { RegistryTime } from '../platform/time/registry-time.js';
import { secondsPrinter } from './instants.js';

/** Cells by the headings of their columns; null for an empty cell. */
type Row = Readonly<Record<string, unknown>>;

/** Option of every command that lists. */
export const JSON_OPTION = ['--json', 'one JSON object a line'] as const;

export interface ListingOptions {
  json?: true;
}

/** Prints rows with the same headings: a table for people, or one JSON object a line. */
export function list(rows: readonly Row[], { json }: ListingOptions): void {
  if (json) for (const row of rows) console.log(JSON.stringify(row));
  else console.log(rows.length === 0 ? 'None' : tableOf(rows));
}

/** @returns a function that prints instants in the registry's time zone: exact in JSON, to the second for people */
export function instantPrinter(time: RegistryTime, { json }: ListingOptions): (us: number | null) => string | null {
  const print = json ? (us: number): string => time.print(us) : secondsPrinter(time);
  return (us) => (us === null ? null : print(us));
}

/** Aligns numbers to the right, everything else to the left. */
function tableOf(rows: readonly Row[]): string {
  const headings = Object.keys(rows[0] as Row);
  const columns = headings.map((heading) => {
    const cells = rows.map((row) => row[heading]);
    const texts = [heading.toUpperCase(), ...cells.map(textOf)];
    const width = texts.reduce((widest, { length }) => Math.max(widest, length), 0);
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
