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
import { ALL_KEPT, type Evidence, NO_EVIDENCE } from '../verifying/evidence.js';
import { KeptLogCheck } from '../verifying/log/kept-log-check.js';
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
  seen: VerifiedLogStore;
  options: Options;
  signal: AbortSignal;
}

/** @param ends is called with the exit code of a completed verification */
export function addVerify(program: Command, signal: AbortSignal, ends: (code: ExitCode) => void): void {
  program
    .command('verify')
    .description(
      'bring a copy to the end of the feed, compare it with the registry and mend what differs. Sums of ids and dateModified tell whether every ' +
        'asset is there in its last version; a document that was changed in the copy alone is found by --documents only. A copy of some types ' +
        '(--type) has no sum that the registry knows: it is compared by walking all pages. Where the registry keeps a log, it is verified against ' +
        'its key, its witnesses and what was seen of it before, and the copy against its entries',
    )
    .argument('<url>', 'address of the registry', address)
    .argument('<target>', TARGET_HELP)
    .option('--documents', 'compare every document, by walking all pages')
    .option('--dry-run', 'mend nothing')
    .option(
      '--log-key <vkey>',
      'trust this key of the log instead of those that were seen first (publicKeys of the registry); may be given several times',
      logKey,
    )
    .option('--witness <vkey>', 'this witness must have signed the checkpoint too; may be given several times', witness)
    .option('--accept-restore', 'accept the log of a restored registry, if it begins with verified entries')
    .option('--json', 'progress as JSON lines also on a terminal, and the result as JSON')
    .action(async (url: string, target: string, options: Options) => ends(await verify(url, target, options, signal)));
}

async function verify(url: string, text: string, options: Options, signal: AbortSignal): Promise<ExitCode> {
  const target = readTarget(text);
  // Opening a copy for writing creates files, so its existence is checked before.
  stateThere(await readStateOf(target), target);
  const copy = await openCopy(target, false);
  try {
    const state = stateThere(await copy.readState(), target);
    printWalk(state);
    const seen = await openLogStore(target, options.dryRun);
    try {
      const found = await run({ url, copy, seen, options, signal }, state).catch((error: unknown) => {
        if (options.json && error instanceof LogRefuted) printRefuted(error);
        throw error;
      });
      printVerified(found, options, state.filter !== null);
      return exitCodeOf(found, options);
    } finally {
      await seen.close();
    }
  } finally {
    await copy.close();
  }
}

/** Prints which of the registry's proofs do not apply to a partial copy. */
function printWalk({ types, filter }: CopyState): void {
  if (filter !== null)
    process.stderr.write(
      'The copy keeps what fits its filter: the registry has no sums of that, so all of it is asked for, and the search is trusted to find all. ' +
        'The log is not verified\n',
    );
  else if (types !== null)
    process.stderr.write(`The copy keeps ${types.join(', ')} only: there are no sums of that, all pages are walked\n`);
}

function stateThere(state: CopyState | undefined, target: Target): CopyState {
  if (state === undefined) throw new SyncError(`There is no copy in ${shownTarget(target)}`);
  return state;
}

/** The log is verified first, so that the copy is then not older than its checkpoint. */
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
    const added = await compare(ALL_KEPT);
    const check = await checkStates(use, client, progress, {
      log: verifiedLog,
      keptSize: state.logPlace ?? 0,
      catchUp,
      unrepaired: added.unrepaired,
    });
    const isDone = verifying.dryRun || added.unrepaired.length === 0;
    const verified = isDone ? added : together(added, await compare(check.evidence));
    return { ...verified, log: { ...verifiedLog, ...check.result } };
  });
}

/** @param added result of a first comparison, which overwrote nothing @param rest result of the second one */
function together(added: Verified, rest: Verified): Verified {
  const unrepaired = new Set(added.unrepaired);
  const repaired = added.differences.filter((one) => !unrepaired.has(one));
  return { ...rest, differences: [...repaired, ...rest.differences] };
}

async function verifyLog(
  { seen, options }: Run,
  client: RegistryClient,
  progress: Progress,
): Promise<VerifiedLog | undefined> {
  progress.step('checking the log');
  const { logKey: logKeys = [], witness: witnesses = [], acceptRestore = false } = options;
  const trust = { logKeys, witnesses, acceptRestore };
  const logged = (entries: number, size: number): void => progress.logged(entries, size);
  return new LogVerifier(refutingSource(client.logFiles), seen, trust, logged).run();
}

/** Input for checking the states of a copy. */
interface ToCheck {
  log: VerifiedLog;
  /** Number of entries that the copy had before. */
  keptSize: number;
  catchUp: () => Promise<CopyState>;
  unrepaired: readonly Difference[];
}

async function checkStates(
  { copy, seen, options, signal }: Run,
  client: RegistryClient,
  progress: Progress,
  { log, keptSize, catchUp, unrepaired }: ToCheck,
): Promise<StatesCheck> {
  const state = (await copy.readState()) as CopyState;
  if (!log.origin.endsWith(`/${state.epoch}`))
    throw new LogRefuted(`The log is ${log.origin}, and not of the feed's history (epoch ${state.epoch})`);
  progress.step('checking the log');
  const kept = state.logPlace === null ? undefined : new KeptLogCheck(copy, state, options.dryRun === true);
  await kept?.checkLength(keptSize, log.size);
  const logged = (entries: number): void => {
    signal.throwIfAborted();
    progress.logged(entries, log.size);
  };
  const source = refutingSource(client.logFiles.of(log.origin));
  const check = new StatesCheck(source, seen, copy, state, new RowReader(state), kept, logged);
  await check.run(log.size, catchUp, unrepaired);
  return check;
}
