import type { RegistryClient } from 'asset-registry-client';
import type { VerifierKey } from 'asset-registry-tlog';
import type { Command } from 'commander';
import { RowReader } from '../asset-row.js';
import type { Copy, CopyState } from '../copies/copy.js';
import { openCopy, readStateOf } from '../copies/open-copy.js';
import { openLogStore, type VerifiedLogStore } from '../copies/log-store.js';
import { readTarget, shownTarget, type Target } from '../copies/target.js';
import { Copier } from '../copying/copier.js';
import type { Progress } from '../progress/progress.js';
import { type ExitCode, SyncError } from '../sync-error.js';
import type { Difference } from '../verifying/compare.js';
import { CHANGE_NOTHING, type Evidence, NO_EVIDENCE } from '../verifying/evidence.js';
import { CopiedLogCheck } from '../verifying/log/copied-log-check.js';
import { LogVerifier, type VerifiedLog } from '../verifying/log/log-verifier.js';
import { LogRefuted } from '../verifying/log/refuted.js';
import { refutingSource } from '../verifying/log/source.js';
import { StatesCheck } from '../verifying/log/states-check.js';
import type { StatesChecked } from '../verifying/log/states-checked.js';
import { type Verified, Verifier } from '../verifying/verifier.js';
import { address, logKey, TARGET_HELP, witness } from './options.js';
import { exitCodeOf, printRefuted, printVerified } from './print-verified.js';
import { withClient } from './with-client.js';

interface Options {
  documents?: true;
  dryRun?: true;
  json?: true;
  logKey?: VerifierKey[];
  witness?: VerifierKey[];
  acceptRestore?: true;
}

interface Run {
  url: string;
  copy: Copy;
  logStore: VerifiedLogStore;
  options: Options;
  signal: AbortSignal;
}

/** @param onCode is called with the exit code of a completed verification */
export function addVerify(program: Command, signal: AbortSignal, onCode: (code: ExitCode) => void): void {
  program
    .command('verify')
    .description(
      'bring a copy to the end of the feed, compare it with the registry and repair it. Sums of ids and dateModified show whether every ' +
        'asset is present in its newest version; a document that was changed only in the copy is found only with --documents. A copy of some ' +
        'types (--type) is compared page by page, because the registry has no sums for it. If the registry has a log, the log is verified against ' +
        'its key, its witnesses and its last verified state, and the copy against the entries of the log',
    )
    .argument('<url>', 'address of the registry', address)
    .argument('<target>', TARGET_HELP)
    .option('--documents', 'compare every document, page by page')
    .option('--dry-run', 'only report differences')
    .option(
      '--log-key <vkey>',
      'trust this key of the log instead of those of the first verification (publicKeys of the registry); repeatable',
      logKey,
    )
    .option('--witness <vkey>', 'require the signature of this witness on the checkpoint; repeatable', witness)
    .option('--accept-restore', 'accept the log of a restored registry if it continues verified entries')
    .option('--json', 'progress as JSON lines also on a terminal, and the result as JSON')
    .action(async (url: string, target: string, options: Options) =>
      onCode(await verify(url, target, options, signal)),
    );
}

async function verify(url: string, text: string, options: Options, signal: AbortSignal): Promise<ExitCode> {
  const target = readTarget(text);
  // Checked first, because opening a copy for writing creates files.
  existingState(await readStateOf(target), target);
  const copy = await openCopy(target, false);
  try {
    const state = existingState(await copy.readState(), target);
    printComparison(state);
    const logStore = await openLogStore(target, options.dryRun);
    try {
      const found = await run({ url, copy, logStore, options, signal }, state).catch((error: unknown) => {
        if (options.json && error instanceof LogRefuted) printRefuted(error);
        throw error;
      });
      printVerified(found, options, state.filter !== null);
      return exitCodeOf(found, options);
    } finally {
      await logStore.close();
    }
  } finally {
    await copy.close();
  }
}

/** Prints how a partial copy is compared, as the registry's sums include all assets. */
function printComparison({ types, filter }: CopyState): void {
  if (filter !== null)
    process.stderr.write(
      'The copy has a filter: it is compared page by page, because the registry has no sums for it, and the search is trusted to find every match. ' +
        'The log is not verified\n',
    );
  else if (types !== null)
    process.stderr.write(
      `The copy has only ${types.join(', ')}: it is compared page by page, because the registry has no sums for it\n`,
    );
}

function existingState(state: CopyState | undefined, target: Target): CopyState {
  if (state === undefined) throw new SyncError(`There is no copy in ${shownTarget(target)}`);
  return state;
}

/** Verifies the log first, so that the copy, which catches up afterwards, is not older than the log's checkpoint. */
async function run(use: Run, state: CopyState): Promise<Verified & { log?: VerifiedLog & StatesChecked }> {
  const { url, copy, options, signal } = use;
  const { fields, types, filter } = state;
  const log = state.logPlace !== null;
  const plan = { url, fields, types, filter, newestFirst: false, snapshot: true, isResync: false, log };
  const verifying = { documents: options.documents === true, dryRun: options.dryRun === true };
  return withClient({ url, json: options.json === true, signal }, async (client, progress) => {
    const verifiedLog = filter === null ? await verifyLog(use, client, progress) : undefined;
    const copier = new Copier(client, copy, state, plan, progress, signal);
    const catchUp = async (): Promise<CopyState> => {
      const reached = await copier.toTheEnd();
      progress.step('comparing');
      return reached.state;
    };
    const compare = (evidence: Evidence): Promise<Verified> =>
      new Verifier(copy, client, verifying, catchUp, evidence).run();
    if (verifiedLog === undefined) return compare(NO_EVIDENCE);
    const added = await compare(CHANGE_NOTHING);
    const check = await checkStates(use, client, progress, {
      log: verifiedLog,
      copiedSize: state.logPlace ?? 0,
      catchUp,
      unrepaired: added.unrepaired,
    });
    const isDone = verifying.dryRun || added.unrepaired.length === 0;
    const verified = isDone ? added : combined(added, await compare(check.evidence));
    return { ...verified, log: { ...verifiedLog, ...check.result } };
  });
}

/** @param added result of the first comparison, which only added rows @param rest result of the second one */
function combined(added: Verified, rest: Verified): Verified {
  const unrepaired = new Set(added.unrepaired);
  const repaired = added.differences.filter((one) => !unrepaired.has(one));
  return { ...rest, differences: [...repaired, ...rest.differences] };
}

async function verifyLog(
  { logStore, options }: Run,
  client: RegistryClient,
  progress: Progress,
): Promise<VerifiedLog | undefined> {
  progress.step('checking the log');
  const { logKey: logKeys = [], witness: witnesses = [], acceptRestore = false } = options;
  const trust = { logKeys, witnesses, acceptRestore };
  const logged = (entries: number, size: number): void => progress.logged(entries, size);
  return new LogVerifier(refutingSource(client.logFiles), logStore, trust, logged).run();
}

/** Input for checking the states of a copy. */
interface ToCheck {
  log: VerifiedLog;
  /** Number of entries that the copy had before. */
  copiedSize: number;
  catchUp: () => Promise<CopyState>;
  unrepaired: readonly Difference[];
}

async function checkStates(
  { copy, logStore, options, signal }: Run,
  client: RegistryClient,
  progress: Progress,
  { log, copiedSize, catchUp, unrepaired }: ToCheck,
): Promise<StatesCheck> {
  const state = (await copy.readState()) as CopyState;
  if (!log.origin.endsWith(`/${state.epoch}`))
    throw new LogRefuted(`The log is ${log.origin}, but the feed has the epoch ${state.epoch}`);
  progress.step('checking the log');
  const copiedLog = state.logPlace === null ? undefined : new CopiedLogCheck(copy, state, options.dryRun === true);
  await copiedLog?.checkLength(copiedSize, log.size);
  const logged = (entries: number): void => {
    signal.throwIfAborted();
    progress.logged(entries, log.size);
  };
  const source = refutingSource(client.logFiles.of(log.origin));
  const check = new StatesCheck(source, logStore, copy, state, new RowReader(state), copiedLog, logged);
  await check.run(log.size, catchUp, unrepaired);
  return check;
}
