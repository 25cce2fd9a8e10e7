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
import type { ClientPace } from './client.js';
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
      'stay at the end of the feed until SIGINT, SIGTERM or SIGHUP, and copy each change as it is made; if the registry or a proxy does not support that, ' +
        'poll at the interval that the registry recommends',
    )
    .option('--poll <seconds>', 'with --follow: poll at this interval at the end of the feed', pause)
    .option('--no-snapshot', 'begin with pages instead of the registry’s snapshot')
    .option('--newest-first', 'begin with the newest assets, by pages')
    .option('--fields <names>', 'copy only these fields of the documents, in addition to id and dateModified', names)
    .option('--type <names>', 'copy only assets of these types', names)
    .addOption(
      new Option('--where <condition>', 'copy only assets of these types, given as assetType=a,b')
        .argParser(typesWhere)
        .conflicts('type'),
    )
    .addOption(
      new Option(
        '--filter <query>',
        'copy only assets that match a search, given as custodian=...&status=active; an asset that no longer matches stays unchanged until verify removes it',
      )
        .argParser(filter)
        .conflicts(['type', 'where', 'newestFirst']),
    )
    .option('--log', 'copy the log of the registry too: every public state of every asset, with its entry')
    .option('--resync', 'make a new copy, which replaces the old one when it is complete')
    .option('--json', 'progress as JSON lines also on a terminal, and the result as JSON')
    .action((url: string, options: Options) => copyTo(url, options, signal));
}

async function copyTo(url: string, options: Options, signal: AbortSignal): Promise<void> {
  if (options.poll !== undefined && options.follow === undefined)
    throw new SyncError('--poll needs --follow: without it the copy ends at the end of the feed', EXIT.usage);
  const target = readTarget(options.to);
  const isResync = options.resync === true;
  const use = { url, json: options.json === true, pace: paceOf(options), signal };
  const requested = {
    fields: options.fields ?? null,
    types: options.where ?? options.type ?? null,
    filter: options.filter ?? null,
  };
  assertNoLog(requested, options.log === true);
  const existing = isAlreadyCopied(requested, undefined) ? undefined : await existingState(target, isResync);
  const selected = await validSelection(requested, existing, use);
  if (selected === undefined) return printResult(existing, 0, target, options);
  const copy = await openCopy(target, isResync);
  try {
    const state = await copy.readState();
    const old = isResync ? await replacedState(target) : undefined;
    const selection = state === undefined ? withDefaults(selected, old) : selectionFor(selected, state);
    const { newestFirst = false, snapshot } = options;
    const log = options.log ?? hasLog(state ?? old);
    assertNoLog(selection, log);
    const plan = { url, ...selection, newestFirst, snapshot, isResync, log };
    await run({ copy, state, plan, target, options, use });
  } finally {
    await copy.close();
  }
}

function paceOf({ follow, poll }: Options): ClientPace {
  return { ...(follow && { retries: Infinity }), ...(poll !== undefined && { pollMs: poll * 1_000 }) };
}

/** Reads the state before the copy is opened for writing, which creates files. @returns undefined if there is no copy */
async function existingState(target: Target, isResync: boolean): Promise<CopyState | undefined> {
  return target.kind === 'sqlite' && !existsSync(target.path) ? undefined : readStateOf(target, isResync);
}

/** @returns undefined if the signal arrived before the registry's answer */
async function validSelection(
  requested: Selection,
  existing: CopyState | undefined,
  use: ClientUse,
): Promise<Selection | undefined> {
  if (isAlreadyCopied(requested, existing)) return requested;
  try {
    return await withClient(use, (client) => knownSelection(client, requested, existing));
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
    process.stdout.write(`${where}: nothing was copied\n`);
  } else {
    const rest = state.wholeAt === null ? ': incomplete, the next run continues from there' : '';
    process.stdout.write(
      `${counted(assets, 'asset')} written; ${where} has the feed up to ${state.position || 'its beginning'}${rest}\n`,
    );
  }
}

/** Reads the state of the copy to replace. @throws SyncError if the target contains something else */
function replacedState(target: Target): Promise<CopyState | undefined> {
  return readStateOf(target).catch((error: unknown) => {
    if (error instanceof SyncError) throw error;
    return undefined;
  });
}

/** @throws SyncError if the log is requested for a filtered copy, which cannot contain it */
function assertNoLog({ filter: chosen }: Selection, log: boolean): void {
  if (chosen !== null && log)
    throw new SyncError(
      '--log cannot be combined with --filter: the log contains all assets. Use it for a copy without a filter',
      EXIT.usage,
    );
}

function hasLog(state: CopyState | undefined): boolean {
  return state !== undefined && state.logPlace !== null;
}

/** A resync keeps the selection of the old copy for options that are not given. */
function withDefaults(wanted: Selection, old: Selection | undefined): Selection {
  return {
    fields: wanted.fields ?? old?.fields ?? null,
    types: wanted.types ?? old?.types ?? null,
    filter: wanted.filter ?? old?.filter ?? null,
  };
}
