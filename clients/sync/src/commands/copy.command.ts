import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Selection } from '../asset-row.js';
import type { Copy, CopyState } from '../copies/copy.js';
import { openCopy, readStateOf } from '../copies/open-copy.js';
import { readTarget, shownTarget, type Target } from '../copies/target.js';
import { Copier } from '../copying/copier.js';
import { isAlreadyCopied, knownSelection } from '../copying/known-selection.js';
import { type Plan, selectionFor } from '../copying/plan.js';
import { counted } from '../counted.js';
import { EXIT, SyncError } from '../sync-error.js';
import type { ClientNumbers } from './client.js';
import { address, filter, names, pause, TARGET_HELP, typesWhere } from './options.js';
import { type ClientUse, withClient } from './with-client.js';

interface Options {
  to: string;
  follow?: true;
  poll?: number;
  snapshot: boolean;
  newestFirst?: true;
  fields?: string[];
  type?: string[];
  where?: string[];
  filter?: string;
  log?: true;
  resync?: true;
  json?: true;
}

/** @param signal ends the command after the write in progress */
export function addCopy(program: Command, signal: AbortSignal): void {
  program
    .command('copy', { isDefault: true })
    .description('copy the registry, or bring a copy to the end of its feed; the name of this command may be left out')
    .argument('<url>', 'address of the registry', address)
    .requiredOption('--to <target>', TARGET_HELP)
    .option(
      '--follow',
      'stay at the end of the feed until SIGINT, SIGTERM or SIGHUP, and copy each change as it is made; where the registry or a proxy does not support that, ' +
        'poll as often as the registry says',
    )
    .option('--poll <seconds>', 'with --follow: poll at this interval at the end of the feed', pause)
    .option('--no-snapshot', 'begin with pages instead of the registry’s snapshot')
    .option('--newest-first', 'begin with the newest assets, by pages')
    .option('--fields <names>', 'keep these fields of the documents only, and id and dateModified', names)
    .option('--type <names>', 'keep assets of these types only', names)
    .addOption(
      new Option('--where <condition>', 'keep assets of these types only, as assetType=a,b')
        .argParser(typesWhere)
        .conflicts('type'),
    )
    .addOption(
      new Option(
        '--filter <query>',
        'keep what fits a search of the registry, as custodian=...&status=active; what ceases to fit stays as it was until verify removes it',
      )
        .argParser(filter)
        .conflicts(['type', 'where', 'newestFirst']),
    )
    .option('--log', 'keep the log of the registry too: every public state of every asset, with its entry')
    .option('--resync', 'make a new copy beside the old one, and replace that when it is complete')
    .option('--json', 'progress as JSON lines also on a terminal, and the result as JSON')
    .action((url: string, options: Options) => copyTo(url, options, signal));
}

async function copyTo(url: string, options: Options, signal: AbortSignal): Promise<void> {
  if (options.poll !== undefined && options.follow === undefined)
    throw new SyncError('--poll goes with --follow: without it nothing is asked for again', EXIT.usage);
  const target = readTarget(options.to);
  const isResync = options.resync === true;
  const use = { url, json: options.json === true, numbers: numbersOf(options), signal };
  const asked = {
    fields: options.fields ?? null,
    types: options.where ?? options.type ?? null,
    filter: options.filter ?? null,
  };
  assertNoLog(asked, options.log === true);
  const kept = isAlreadyCopied(asked, undefined) ? undefined : await stateBefore(target, isResync);
  const wanted = await validatedSelection(asked, kept, use);
  if (wanted === undefined) return printResult(kept, 0, target, options);
  const copy = await openCopy(target, isResync);
  try {
    const state = await copy.readState();
    const old = isResync ? await stateOfOld(target) : undefined;
    const selection = state === undefined ? withDefaults(wanted, old) : selectionFor(wanted, state);
    const { newestFirst = false, snapshot } = options;
    const log = options.log ?? keepsLog(state ?? old);
    assertNoLog(selection, log);
    const plan = { url, ...selection, newestFirst, snapshot, isResync, log };
    await run({ copy, state, plan, target, options, use });
  } finally {
    await copy.close();
  }
}

function numbersOf({ follow, poll }: Options): ClientNumbers {
  return { ...(follow && { retries: Infinity }), ...(poll !== undefined && { pollMs: poll * 1_000 }) };
}

/** Opening a copy for writing creates files, so a new copy's selection is determined before. */
async function stateBefore(target: Target, isResync: boolean): Promise<CopyState | undefined> {
  return target.kind === 'sqlite' && !existsSync(target.path) ? undefined : readStateOf(target, isResync);
}

/** @returns undefined if the signal came before the registry's answer */
async function validatedSelection(
  asked: Selection,
  kept: CopyState | undefined,
  use: ClientUse,
): Promise<Selection | undefined> {
  if (isAlreadyCopied(asked, kept)) return asked;
  try {
    return await withClient(use, (client) => knownSelection(client, asked, kept));
  } catch (error) {
    if (!use.signal.aborted) throw error;
    return undefined;
  }
}

interface Run {
  copy: Copy;
  state: CopyState | undefined;
  plan: Plan;
  target: Target;
  options: Options;
  use: ClientUse;
}

async function run({ copy, state, plan, target, options, use }: Run): Promise<void> {
  const assets = await withClient(use, async (client, progress) => {
    const copier = new Copier(client, copy, state, plan, progress, use.signal);
    try {
      if (options.follow) await copier.follow();
      else await copier.toTheEnd();
    } catch (error) {
      if (!use.signal.aborted) throw error;
    }
    return progress.assets;
  });
  printResult(await copy.readState(), assets, target, options);
}

function printResult(state: CopyState | undefined, assets: number, target: Target, { json }: Options): void {
  const where = shownTarget(target);
  if (json) {
    const { position = '', wholeAt = null } = state ?? {};
    process.stdout.write(`${JSON.stringify({ copy: where, assets, position, isWhole: wholeAt !== null })}\n`);
  } else if (state === undefined) {
    process.stdout.write(`${where} was not begun\n`);
  } else {
    const rest = state.wholeAt === null ? ': incomplete, the next run continues from there' : '';
    process.stdout.write(
      `${counted(assets, 'asset')} written; ${where} has the feed up to ${state.position || 'its beginning'}${rest}\n`,
    );
  }
}

/** Also ensures that the target contains nothing but a copy. */
function stateOfOld(target: Target): Promise<CopyState | undefined> {
  return readStateOf(target).catch((error: unknown) => {
    if (error instanceof SyncError) throw error;
    return undefined;
  });
}

/** @throws SyncError if the log is requested for a filtered copy, which cannot contain it */
function assertNoLog({ filter: chosen }: Selection, log: boolean): void {
  if (chosen !== null && log)
    throw new SyncError(
      '--log does not go with --filter: the log is of all assets. Use it for a copy without a filter',
      EXIT.usage,
    );
}

function keepsLog(state: CopyState | undefined): boolean {
  return state !== undefined && state.logPlace !== null;
}

/** Options that are not given keep their old values. */
function withDefaults(wanted: Selection, old: Selection | undefined): Selection {
  return {
    fields: wanted.fields ?? old?.fields ?? null,
    types: wanted.types ?? old?.types ?? null,
    filter: wanted.filter ?? old?.filter ?? null,
  };
}
