import type { Refuted } from './refuted-designs.js';
import type { Result, Trial } from './trial.js';

const SHOWN = 150;

export function isCaught(trial: Trial): boolean {
  return 'results' in trial && trial.results.some(({ verdict }) => verdict.kind === 'caught');
}

/** A Markdown table: a row for each mutant, and one for each design that the model refutes. */
export function table(trials: readonly Trial[], refuted: readonly Refuted[]): string {
  const rows = [
    ...trials.map((trial) => [trial.mutant.name, trial.mutant.breaks, caughtBy(trial), howLong(trial)]),
    ...refuted.map(({ name, breaks }) => [name, breaks, `model: '${name}'`, '']),
  ];
  return [['mutant', 'what it breaks', 'caught by', 'how long'], ['---', '---', '---', '---'], ...rows]
    .map(line)
    .join('\n');
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function caughtBy(trial: Trial): string {
  if ('invalid' in trial) return `**INVALID**: ${shorten(trial.invalid)}`;
  const caught = trial.results.flatMap((result) =>
    result.verdict.kind === 'caught' ? [told(result, result.verdict.by)] : [],
  );
  if (caught.length > 0) return caught.join('<br>');
  return trial.results.some(({ verdict }) => verdict.kind === 'unclear') ? '**UNCLEAR**' : '**SURVIVED**';
}

function told({ run }: Result, by: readonly string[]): string {
  const more = by.length > 1 ? ` (and ${by.length - 1} more)` : '';
  return `${run.layer}: ${shorten(String(by[0]))}${more}`;
}

function shorten(text: string): string {
  const [first = ''] = text.split('\n');
  return first.length > SHOWN ? `${first.slice(0, SHOWN)}…` : first;
}

function howLong(trial: Trial): string {
  if ('invalid' in trial) return '';
  return `${trial.results.reduce((sum, { seconds }) => sum + seconds, 0)} s`;
}
