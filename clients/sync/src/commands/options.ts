import { readVerifierKey, type VerifierKey } from 'asset-registry-tlog';
import { InvalidArgumentError } from 'commander';
import { readFilter } from '../copying/filter.js';

export const TARGET_HELP =
  'sqlite:FILE, jsonl:FILE, mysql://user:password@host:port/database or postgres://user:password@host:port/database; or env:NAME or file:PATH, ' +
  'an environment variable or a file with one of these, so that a password is not in the list of processes';

const SECONDS_OF_A_DAY = 86_400;
/** Members of an asset, other than its type, that never change. */
const NEVER_CHANGED = ['id', 'assetID', 'owner', 'date'];

/** Parses `a,b` to a list without duplicates. */
export function names(text: string): string[] {
  const all = text.split(',').map((name) => name.trim());
  if (all.some((name) => !/^[A-Za-z]\w*$/.test(name)))
    throw new InvalidArgumentError('Give a list of names such as a,b.');
  return [...new Set(all)];
}

/** Parses a pause in seconds, from 1 to a day: a shorter one would load the registry, and timers are limited to some weeks. */
export function pause(text: string): number {
  const seconds = Number(text);
  if (!/^\d+(?:\.\d+)?$/.test(text) || seconds < 1 || seconds > SECONDS_OF_A_DAY)
    throw new InvalidArgumentError(`Give a number of seconds from 1 to ${SECONDS_OF_A_DAY}.`);
  return seconds;
}

/** Parses `assetType=a,b` to a list of types; no other field may select assets. */
export function typesWhere(text: string): string[] {
  const [name = '', ...values] = text.split('=');
  if (values.length === 0) throw new InvalidArgumentError('Give assetType=a,b.');
  if (name === 'assetType') return names(values.join('='));
  if (NEVER_CHANGED.includes(name)) throw new InvalidArgumentError(`Only assetType can select assets, not ${name}.`);
  throw new InvalidArgumentError(
    `${name} can change, and the asset would then no longer match without the copy noticing: only assetType, which never changes, can select assets. ` +
      'Copy all assets, and select in the copy.',
  );
}

/** Normalises a query of the search. */
export function filter(text: string): string {
  try {
    return readFilter(text);
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`);
  }
}

export function address(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new InvalidArgumentError('The address must begin with http:// or https://.');
  if (url.username !== '' || url.password !== '')
    throw new InvalidArgumentError('The address must not contain a user name: reads need no key.');
  return text.replace(/\/+$/, '');
}

export function logKey(text: string, before: VerifierKey[] = []): VerifierKey[] {
  return [...before, verifierKey(text, 'log')];
}

export function witness(text: string, before: VerifierKey[] = []): VerifierKey[] {
  return [...before, verifierKey(text, 'witness')];
}

function verifierKey(text: string, kind: VerifierKey['kind']): VerifierKey {
  let key: VerifierKey;
  try {
    key = readVerifierKey(text);
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`);
  }
  if (key.kind !== kind) throw new InvalidArgumentError(`This is the key of a ${key.kind}, not of a ${kind}.`);
  return key;
}
