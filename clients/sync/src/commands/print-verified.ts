import { counted } from '../counted.js';
import { printable } from '../printable.js';
import { EXIT, type ExitCode } from '../sync-error.js';
import { otherKeyAdvice } from '../verifying/log/keys.js';
import type { VerifiedLog } from '../verifying/log/log-verifier.js';
import { shownState, type StatesChecked } from '../verifying/log/states-checked.js';
import type { Verified } from '../verifying/verifier.js';

/** Result of a verification; `log` if the registry has one. */
type FullyVerified = Verified & { log?: VerifiedLog & StatesChecked };

interface Options {
  dryRun?: true;
  json?: true;
}

/** Differences printed individually; the others are counted. */
const MAX_LISTED = 20;

export function exitCodeOf({ differences, isSame, log }: FullyVerified, { dryRun }: Options): ExitCode {
  if (log !== undefined && log.faults.length > 0) return EXIT.logRefuted;
  const isLogSame = log === undefined || log.keptOtherwise === 0 || !dryRun;
  if ((!isSame && differences.length > 0) || !isLogSame) return EXIT.differences;
  return log !== undefined && log.late > 0 ? EXIT.logNotComplete : EXIT.done;
}

/** @param isFiltered whether the copy has a filter */
export function printVerified(found: FullyVerified, { json, dryRun }: Options, isFiltered: boolean): void {
  const { upTo, differences, unrepaired, isSame, log } = found;
  if (json) {
    const mended = differences.length - unrepaired.length;
    process.stdout.write(`${JSON.stringify({ upTo, isSame, mended, differences, log: log ?? null })}\n`);
    return;
  }
  printSome(differences, ({ kind, id, registry, copy }) => {
    return `${kind.padEnd('different'.length)} ${id} registry ${registry ?? '-'} copy ${copy ?? '-'}`;
  });
  process.stdout.write(`${sentence(found, dryRun === true, isFiltered)} (up to ${upTo || 'the beginning'})\n`);
  if (isFiltered) return;
  if (log === undefined) process.stdout.write('The registry has no log\n');
  else printLog(log, dryRun === true);
}

/** Prints the refutation as JSON; for people the error is printed. */
export function printRefuted({ message, place = null }: { message: string; place?: number | null | undefined }): void {
  process.stdout.write(`${JSON.stringify({ log: { refuted: message, place } })}\n`);
}

function printLog(log: VerifiedLog & StatesChecked, dryRun: boolean): void {
  const { size, otherKeys, assets, unbound, erased, newer, late, upTo, keptOtherwise, faults } = log;
  printSome(faults, shownState);
  const origin = printable(log.origin);
  const begin = `The log ${origin} is sound: ${size} entries. `;
  const end = `${assets} assets of the copy are what it binds`;
  process.stdout.write(
    `${faults.length === 0 ? begin : ''}${end}${faults.length === 0 ? '' : `, ${faults.length} states are not as it says`}\n`,
  );
  for (const key of otherKeys) process.stdout.write(`${printable(otherKeyAdvice(key))}\n`);
  if (newer > 0) process.stdout.write(`${newer} assets are newer than its checkpoint\n`);
  if (late > 0)
    process.stdout.write(
      `The log is not complete yet: ${late} of these were changed more than ten minutes ago, and its last entry is of ${printable(upTo) || 'none'}. ` +
        'It does not speak for them until it has caught up; where it never does, its operator keeps them out\n',
    );
  if (unbound > 0)
    process.stdout.write(
      `${unbound} states cannot be checked: the registry recorded them as damaged, and binds nothing\n`,
    );
  if (erased > 0) process.stdout.write(`Of ${erased} states something was erased later; they say what, when and why\n`);
  if (keptOtherwise > 0)
    process.stdout.write(
      `${keptOtherwise} entries of the kept log were not the same${dryRun ? ', not mended' : ', mended'}\n`,
    );
}

function printSome<T>(all: readonly T[], shown: (one: T) => string): void {
  for (const one of all.slice(0, MAX_LISTED)) process.stdout.write(`${printable(shown(one))}\n`);
  if (all.length > MAX_LISTED) process.stdout.write(`and ${all.length - MAX_LISTED} more\n`);
}

function sentence({ differences, unrepaired, isSame }: Verified, dryRun: boolean, isFiltered: boolean): string {
  const same = isFiltered
    ? 'The copy is what the registry finds by its filter'
    : 'The copy is the same as the registry';
  if (differences.length === 0) return same;
  const found = counted(differences.length, 'difference');
  if (dryRun) return `${found}, not mended`;
  if (unrepaired.length > 0)
    return `${found}, ${unrepaired.length} not mended: no entry of the log binds what the registry shows`;
  const mended = `${found}, mended`;
  if (isSame) return `${mended}: ${same.replace('The', 'the')}`;
  return `${mended}, and each time new ones: the copy does not stay the same as the registry`;
}
