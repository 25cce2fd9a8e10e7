import { InvalidArgumentError } from 'commander';

/** For options of the commands. */
export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return Number(text);
}
