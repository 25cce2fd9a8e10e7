import { InvalidArgumentError } from 'commander';
import { instantFault } from '../platform/time/instant-fault.js';
import type { RegistryTime } from '../platform/time/registry-time.js';

const UNITS_S: Record<string, number> = { m: 60, h: 3_600, d: 86_400 };
const LENGTH_TO_THE_SECOND = '2017-08-16T18:36:13'.length;

/** @returns a function that prints an instant for people: to the second, in the registry's time zone */
export function secondsPrinter(time: RegistryTime): (us: number) => string {
  return (us) => time.print(us).slice(0, LENGTH_TO_THE_SECOND);
}

/** Parses an argument such as `7d`. @returns microseconds */
export function parseDuration(text: string): number {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const seconds = UNITS_S[unit];
  if (seconds === undefined)
    throw new InvalidArgumentError('Expected a number of minutes, hours or days: 30m, 12h, 7d.');
  return Number(count) * seconds * 1_000_000;
}

/**
 * Parses the value of an option such as `--expires 2027-12-31`.
 * @returns microseconds since 1970 UTC; undefined without a value
 * @throws Error with a sentence for the operator
 */
export function instantOf(option: string, text: string | undefined, time: RegistryTime): number | undefined {
  if (text === undefined) return undefined;
  const us = time.parse(text);
  if (us === undefined) throw new Error(`${option} is an ISO 8601 date, or date and time: ${instantFault(text)}`);
  return us;
}
