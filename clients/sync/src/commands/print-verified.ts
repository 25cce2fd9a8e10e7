import { counted } from '../counted.js';
import { printable } from '../printable.js';
import { EXIT, type ExitCode } from '../sync-error.js';
import { otherKeyAdvice } from '../verifying/log/keys.js';
import type { VerifiedLog } from '../verifying/log/log-verifier.js';
import { faultText, type StatesChecked } from '../verifying/log/states-checked.js';
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

/** Prints the refutation as JSON. Without --json, the error message reports it. */
export function printRefuted({ message, place = null }: { message: string; place?: number | null | undefined }): void {
  process.stdout.write(`${JSON.stringify({ log: { refuted: message, place } })}\n`);
}

function printLog(log: VerifiedLog & StatesChecked, dryRun: boolean): void {
  const { size, otherKeys, assets, unbound, erased, newer, late, upTo, keptOtherwise, faults } = log;
  printSome(faults, faultText);
  const origin = printable(log.origin);
  const begin = `The log ${origin} is sound: ${size} entries. `;
  const end = `${assets} assets of the copy match it`;
  process.stdout.write(
    `${faults.length === 0 ? begin : ''}${end}${faults.length === 0 ? '' : `, ${faults.length} states do not match it`}\n`,
  );
  for (const key of otherKeys) process.stdout.write(`${printable(otherKeyAdvice(key))}\n`);
  if (newer > 0) process.stdout.write(`${newer} assets are newer than its checkpoint\n`);
  if (late > 0)
    process.stdout.write(
      `The log is not complete yet: ${late} of these changed more than ten minutes ago, and its last entry is of ${printable(upTo) || 'no time'}. ` +
        'It proves nothing about them until it has caught up; if it never does, its operator omits them\n',
    );
  if (unbound > 0)
    process.stdout.write(
      `${unbound} states cannot be checked: the registry logged them as damaged, without a commitment\n`,
    );
  if (erased > 0)
    process.stdout.write(`${erased} states have fields that were erased later; they list which, when and why\n`);
  if (keptOtherwise > 0)
    process.stdout.write(
      `${keptOtherwise} entries of the copied log differed${dryRun ? ', not repaired' : ', repaired'}\n`,
    );
}

function printSome<T>(all: readonly T[], shown: (one: T) => string): void {
  for (const one of all.slice(0, MAX_LISTED)) process.stdout.write(`${printable(shown(one))}\n`);
  if (all.length > MAX_LISTED) process.stdout.write(`and ${all.length - MAX_LISTED} more\n`);
}

function sentence({ differences, unrepaired, isSame }: Verified, dryRun: boolean, isFiltered: boolean): string {
  const same = isFiltered
    ? 'The copy is what the registry finds with its filter'
    : 'The copy is the same as the registry';
  if (differences.length === 0) return same;
  const found = counted(differences.length, 'difference');
  if (dryRun) return `${found}, not repaired`;
  if (unrepaired.length > 0)
    return `${found}, ${unrepaired.length} not repaired: no entry of the log matches what the registry shows`;
  const repaired = `${found}, repaired`;
  if (isSame) return `${repaired}: ${same.replace('The', 'the')}`;
  return `${repaired}, but each comparison found new ones: the copy does not stay the same as the registry`;
}
