import type { Command } from 'commander';
import type { Copy, CopyState } from '../copies/copy.js';
import { openCopy, openCopyToRead } from '../copies/open-copy.js';
import { readTarget, shownTarget, type Target } from '../copies/target.js';
import { Copier } from '../copying/copier.js';
import { SyncError } from '../sync-error.js';
import { type Verified, Verifier } from '../verifying/verifier.js';
import { address } from './options.js';
import { withClient } from './with-client.js';

interface Options {
  documents?: true;
  dryRun?: true;
  json?: true;
}

/** Told one by one; the rest is counted. */
const MOST_TOLD = 20;

/** @param differs is told where the copy is not the same as the registry in the end */
export function addVerify(program: Command, signal: AbortSignal, differs: () => void): void {
  program
    .command('verify')
    .description(
      'bring a copy to the end of the feed, compare it with the registry and mend what differs. Sums of ids and dateModified tell whether every ' +
        'asset is there in its last version; a document that was changed in the copy alone is found by --documents only. A copy of some types ' +
        '(--type) has no sum that the registry knows: it is compared by walking all pages',
    )
    .argument('<url>', 'of the registry', address)
    .argument('<target>', 'sqlite:FILE, jsonl:FILE or mysql://user:password@host:port/database')
    .option('--documents', 'compare every document, by walking all pages')
    .option('--dry-run', 'mend nothing')
    .option('--json', 'progress as JSON lines also on a terminal, and the result as JSON')
    .action(async (url: string, target: string, options: Options) => {
      if (!(await verify(url, target, options, signal))) differs();
    });
}

/** @returns whether the copy is the same as the registry in the end */
async function verify(url: string, text: string, options: Options, signal: AbortSignal): Promise<boolean> {
  const target = readTarget(text);
  await readThere(target);
  const copy = await openCopy(target, false);
  try {
    const state = stateThere(await copy.readState(), target);
    if (state.types !== null)
      process.stderr.write(
        `The copy keeps ${state.types.join(', ')} only: there are no sums of that, all pages are walked\n`,
      );
    const verified = await run(copy, state, url, options, signal);
    tell(verified, options);
    return verified.isSame || verified.differences.length === 0;
  } finally {
    await copy.close();
  }
}

/** To open a copy for writing makes files: it is done where there is one. */
async function readThere(target: Target): Promise<void> {
  const copy = await openCopyToRead(target);
  try {
    stateThere(await copy.readState(), target);
  } finally {
    await copy.close();
  }
}

function stateThere(state: CopyState | undefined, target: Target): CopyState {
  if (state === undefined) throw new SyncError(`There is no copy in ${shownTarget(target)}`);
  return state;
}

async function run(
  copy: Copy,
  state: CopyState,
  url: string,
  options: Options,
  signal: AbortSignal,
): Promise<Verified> {
  const plan = { url, fields: state.fields, types: state.types, newestFirst: false, snapshot: true, beside: false };
  const verifying = { documents: options.documents === true, dryRun: options.dryRun === true };
  return withClient({ url, json: options.json === true, signal }, (client, progress) => {
    const copier = new Copier(client, copy, state, plan, progress, signal);
    const catchUp = async (): Promise<CopyState> => {
      const reached = await copier.toTheEnd();
      progress.step('comparing');
      return reached.state;
    };
    return new Verifier(copy, client, verifying, catchUp).run();
  });
}

function tell({ upTo, differences, isSame }: Verified, { json, dryRun }: Options): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ upTo, isSame, mended: dryRun ? 0 : differences.length, differences })}\n`);
    return;
  }
  for (const { kind, id, registry, copy } of differences.slice(0, MOST_TOLD))
    process.stdout.write(`${kind.padEnd('different'.length)} ${id} registry ${registry ?? '-'} copy ${copy ?? '-'}\n`);
  if (differences.length > MOST_TOLD) process.stdout.write(`and ${differences.length - MOST_TOLD} more\n`);
  process.stdout.write(`${sentence(differences.length, isSame, dryRun === true)} (up to ${upTo || 'the beginning'})\n`);
}

function sentence(differences: number, isSame: boolean, dryRun: boolean): string {
  if (differences === 0) return 'The copy is the same as the registry';
  if (dryRun) return `${differences} differences, not mended`;
  if (isSame) return `${differences} differences, mended: the copy is the same as the registry`;
  return `${differences} differences, mended, and each time new ones: the copy does not stay the same as the registry`;
}
