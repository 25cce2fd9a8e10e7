import type { RegistryClient } from 'asset-registry-client';
import type { Command } from 'commander';
import type { CopyState } from '../copies/copy.js';
import { openCopyToRead } from '../copies/open-copy.js';
import { readTarget, shownTarget } from '../copies/target.js';
import { feedOf } from '../copying/filter.js';
import { counted } from '../counted.js';
import { usOf } from '../instants.js';
import { timeText } from '../progress/shown-progress.js';
import { SyncError } from '../sync-error.js';
import { printable } from '../printable.js';
import { clientOf } from './client.js';
import { TARGET_HELP } from './options.js';

/** How far a registry is ahead of its copy. */
interface Ahead {
  /** dateModified of its newest asset; empty if it has no assets, null if it does not answer. */
  newest: string | null;
  /** Number of assets of which the copy lacks the last change; null if unknown. */
  behindAssets: number | null;
  /** Age of the oldest of these changes by this machine's clock; 0 if the copy lacks none, null if unknown. */
  behindSeconds: number | null;
  isOtherHistory: boolean;
}

const UNKNOWN: Ahead = { newest: null, behindAssets: null, behindSeconds: null, isOtherHistory: false };
/** Time limit, because a registry may have to count millions of assets. */
const COUNT_MS = 10_000;
const US_PER_MS = 1_000;
const MS_PER_SECOND = 1_000;

export function addStatus(program: Command, signal: AbortSignal): void {
  program
    .command('status')
    .description(
      'show how complete a copy is, and how far it is behind the registry, if that answers; another command may be writing to the copy meanwhile',
    )
    .argument('<target>', TARGET_HELP)
    .option('--json', 'as JSON')
    .action((target: string, options: { json?: true }) => printStatus(target, options, signal));
}

async function printStatus(text: string, { json }: { json?: true }, signal: AbortSignal): Promise<void> {
  const target = readTarget(text);
  const copy = await openCopyToRead(target);
  try {
    const state = await copy.readState();
    if (state === undefined) throw new SyncError(`There is no copy in ${shownTarget(target)}`);
    const assets = await copy.count();
    const status = { copy: shownTarget(target), ...state, assets, ...(await readAhead(state, signal)) };
    process.stdout.write(json ? `${JSON.stringify(status)}\n` : printable(statusText(status)));
  } finally {
    await copy.close();
  }
}

async function readAhead(state: CopyState, signal: AbortSignal): Promise<Ahead> {
  const client = clientOf(state.url, signal, { retries: 0 });
  try {
    const { entries: newest, epoch } = await client.page({ limit: 1, descending: true });
    const status = { ...UNKNOWN, newest: newest[0]?.dateModified ?? '', isOtherHistory: epoch !== state.epoch };
    return status.isOtherHistory ? status : { ...status, ...(await readBehind(client, state, signal)) };
  } catch {
    return UNKNOWN;
  } finally {
    await client.close();
  }
}

async function readBehind(
  client: RegistryClient,
  { position, filter }: CopyState,
  signal: AbortSignal,
): Promise<Pick<Ahead, 'behindAssets' | 'behindSeconds'>> {
  const [first] = (await feedOf(client, filter).page({ offset: position, limit: 1 })).entries;
  if (first === undefined) return { behindAssets: 0, behindSeconds: 0 };
  const behindSeconds = Math.max(1, secondsSince(usOf(first.dateModified) / US_PER_MS));
  // The registry counts all assets, not only those that match.
  if (filter !== null) return { behindAssets: null, behindSeconds };
  const within = AbortSignal.any([signal, AbortSignal.timeout(COUNT_MS)]);
  const counting = client.digest({ from: position, signal: within }).then(({ count }) => count);
  // Some registries cannot count.
  const behindAssets = await counting.catch(() => null);
  return { behindAssets, behindSeconds };
}

function secondsSince(ms: number): number {
  return Math.round((Date.now() - ms) / MS_PER_SECOND);
}

function statusText(status: CopyState & Ahead & { copy: string; assets: number }): string {
  const lines = [
    ['copy', status.copy],
    ['of', `${status.url}, epoch ${status.epoch}`],
    ['assets', String(status.assets)],
    ['position', status.position || 'the beginning'],
    ...(status.olderThan === null ? [] : [['lacks', `assets older than ${status.olderThan}`]]),
    ...(status.fields === null ? [] : [['fields', status.fields.join(', ')]]),
    ...(status.types === null ? [] : [['types', status.types.join(', ')]]),
    ...(status.filter === null ? [] : [['filter', decodeURIComponent(status.filter.replaceAll('+', ' '))]]),
    ['written', status.writtenAt],
    ['at the end', caughtUpText(status)],
    ...(status.follows === null ? [] : [['followed', status.follows === 'live' ? 'live' : 'by polling']]),
    ['registry', registryText(status)],
  ];
  return lines.map(([name, value]) => `${(name as string).padEnd(12)}${value}\n`).join('');
}

function caughtUpText({ caughtUpAt }: CopyState): string {
  if (caughtUpAt === null) return 'never';
  return `${caughtUpAt}, ${timeText(Math.max(0, secondsSince(Date.parse(caughtUpAt))))} ago`;
}

function registryText({ newest, behindAssets, behindSeconds, isOtherHistory }: Ahead): string {
  if (newest === null) return 'does not answer';
  if (isOtherHistory) return 'has another history: it was restored or replaced';
  if (behindSeconds === 0) return 'has nothing newer';
  const count = behindAssets === null ? '' : ` by ${counted(behindAssets, 'asset')}`;
  return `is ahead${count}, for ${timeText(behindSeconds)} (its newest asset is of ${newest})`;
}
