import type { Command } from 'commander';
import type { CopyState } from '../copies/copy.js';
import { openCopyToRead } from '../copies/open-copy.js';
import { readTarget, shownTarget } from '../copies/target.js';
import { usOf } from '../instants.js';
import { Progress } from '../progress/progress.js';
import { timeText } from '../progress/shown-progress.js';
import { SyncError } from '../sync-error.js';
import { clientOf } from './client.js';

/** What the registry says of itself at the moment. */
interface Newest {
  /** dateModified of the newest asset; empty where there is none. */
  dateModified: string;
  epoch: string;
}

const US_PER_SECOND = 1_000_000;

export function addStatus(program: Command, signal: AbortSignal): void {
  program
    .command('status')
    .description(
      'tell how far a copy is, and how far behind the registry, where that answers; a runner may go on meanwhile',
    )
    .argument('<target>', 'sqlite:FILE, jsonl:FILE or mysql://user:password@host:port/database')
    .option('--json', 'as JSON')
    .action((target: string, options: { json?: true }) => tellStatus(target, options, signal));
}

async function tellStatus(text: string, { json }: { json?: true }, signal: AbortSignal): Promise<void> {
  const target = readTarget(text);
  const copy = await openCopyToRead(target);
  try {
    const state = await copy.readState();
    if (state === undefined) throw new SyncError(`There is no copy in ${shownTarget(target)}`);
    const assets = await copy.count();
    const newest = await askNewest(state.url, signal);
    const status = { copy: shownTarget(target), ...state, assets, ...comparedWith(state, newest) };
    process.stdout.write(json ? `${JSON.stringify(status)}\n` : inWords(status));
  } finally {
    await copy.close();
  }
}

/** @returns null where the registry does not answer */
async function askNewest(url: string, signal: AbortSignal): Promise<Newest | null> {
  const client = clientOf(url, new Progress(), signal, 0);
  try {
    const { entries, epoch } = await client.page({ limit: 1, descending: true });
    return { dateModified: entries[0]?.dateModified ?? '', epoch };
  } catch {
    return null;
  } finally {
    await client.close();
  }
}

interface Compared {
  newest: string | null;
  /** Null where it is not known: no answer, or another history. */
  behindSeconds: number | null;
  isOtherHistory: boolean;
}

function comparedWith(state: CopyState, newest: Newest | null): Compared {
  if (newest === null) return { newest: null, behindSeconds: null, isOtherHistory: false };
  const isOtherHistory = newest.epoch !== state.epoch;
  return { newest: newest.dateModified, behindSeconds: isOtherHistory ? null : behind(state, newest), isOtherHistory };
}

function behind({ position, begunAt }: CopyState, { dateModified }: Newest): number {
  if (dateModified === '') return 0;
  const fromUs = position === '' ? Date.parse(begunAt) * 1_000 : usOf(position);
  return Math.max(0, Math.round((usOf(dateModified) - fromUs) / US_PER_SECOND));
}

function inWords(status: CopyState & Compared & { copy: string; assets: number }): string {
  const lines = [
    ['copy', status.copy],
    ['of', `${status.url}, epoch ${status.epoch}`],
    ['assets', String(status.assets)],
    ['position', status.position || 'the beginning'],
    ...(status.olderThan === null ? [] : [['lacks', `what is older than ${status.olderThan}`]]),
    ...(status.fields === null ? [] : [['fields', status.fields.join(', ')]]),
    ...(status.types === null ? [] : [['types', status.types.join(', ')]]),
    ['written', status.writtenAt],
    ['at the end', status.caughtUpAt ?? 'never'],
    ['registry', registryInWords(status)],
  ];
  return lines.map(([name, value]) => `${(name as string).padEnd(12)}${value}\n`).join('');
}

function registryInWords({ newest, behindSeconds, isOtherHistory }: Compared): string {
  if (newest === null) return 'does not answer';
  if (isOtherHistory) return 'has another history: it was restored or replaced';
  if (behindSeconds === 0) return 'has nothing newer';
  return `is ahead by ${timeText(behindSeconds)} (its newest asset is of ${newest})`;
}
