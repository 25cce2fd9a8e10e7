import {
  LogError,
  type LogIdentity,
  readVerifierKey,
  type SignedCheckpoint,
  TILE_WIDTH,
  type VerifierKey,
  verifyCheckpoint,
} from 'asset-registry-client';
import type { SeenHead, SeenLog } from '../../copies/seen-log.js';
import { commonEntries, seenRoot } from './past.js';
import { entryIn, LogRefuted, shownEntry } from './refuted.js';
import { type LogSource, pieceAt } from './source.js';
import { TreeCheck } from './tree-check.js';

/** Whom the user believes. */
export interface LogTrust {
  /** Undefined: the key that was seen first. */
  logKey: VerifierKey | undefined;
  witnesses: readonly VerifierKey[];
  /** A log that begins anew after the registry was restored is taken. */
  acceptRestore: boolean;
}

/** A log that was verified. */
export interface VerifiedLog {
  origin: string;
  size: number;
}

/** Verifies the log of a registry against its key, its witnesses, and what was seen of it before. */
export class LogVerifier {
  /** @param progress told how many entries are checked */
  constructor(
    private readonly source: LogSource,
    private readonly seen: SeenLog,
    private readonly trust: LogTrust,
    private readonly progress: (entries: number, of: number) => void,
  ) {}

  /** @returns undefined where the registry keeps no log, and never did @throws LogRefuted */
  async run(): Promise<VerifiedLog | undefined> {
    const head = await this.seen.head();
    const identity = await this.source.identity();
    if (identity === undefined) {
      if (head === undefined && this.trust.logKey === undefined) return undefined;
      throw new LogRefuted(`The registry names no log any more: it had one (${head?.origin ?? 'of the given key'})`);
    }
    const checkpoint = await this.signed(identity, head);
    const begun =
      head === undefined || head.origin === checkpoint.origin ? head : await this.restored(head, checkpoint);
    const told = (entries: number): void => this.progress(entries, checkpoint.size);
    await new TreeCheck(this.source, this.seen, checkpoint, begun, told).run();
    await this.seen.keep(this.headOf(checkpoint, identity));
    return { origin: checkpoint.origin, size: checkpoint.size };
  }

  private async signed(identity: LogIdentity, head: SeenHead | undefined): Promise<SignedCheckpoint> {
    const { logKey, witnesses } = this.trust;
    const note = await this.source.checkpoint();
    const checkpoint = refuting(() => {
      const known = logKey === undefined ? (head?.keys ?? identity.publicKeys).map(readVerifierKey) : [logKey];
      return verifyCheckpoint(note, known, witnesses);
    });
    if (checkpoint.origin !== identity.origin)
      throw new LogRefuted(`The checkpoint is of ${checkpoint.origin}, and the registry names ${identity.origin}`);
    const silent = witnesses.filter((one) => checkpoint.cosignedBy.every(({ witness }) => witness !== one));
    if (silent.length > 0)
      throw new LogRefuted(`The checkpoint is not signed by ${silent.map(({ name }) => name).join(', ')}`);
    return checkpoint;
  }

  /** Of another history of the registry. @returns what both have, as if only that had been seen */
  private async restored(head: SeenHead, checkpoint: SignedCheckpoint): Promise<SeenHead> {
    const { origin, note } = checkpoint;
    if (nameOf(origin) !== nameOf(head.origin))
      throw new LogRefuted(`This is another log: it is ${origin}, and ${head.origin} was seen`);
    const common = await commonEntries(this.source, this.seen, head, checkpoint);
    if (!this.trust.acceptRestore) throw await this.gone(head, checkpoint, common);
    const root = (await seenRoot(this.seen, common)).toString('base64');
    const begun = { ...head, origin, size: common, root, note };
    // Before any hash of the other log is.
    await this.seen.keep(begun);
    return begun;
  }

  private async gone(head: SeenHead, { origin, size }: SignedCheckpoint, common: number): Promise<LogRefuted> {
    const lost = head.size - common;
    const instead =
      common < size ? ` There is now ${shownEntry(common, entryIn(await this.entryAt(common, size)))}.` : '';
    const what =
      lost === 0
        ? 'nothing that was seen is gone'
        : `${lost} entries that were seen, from place ${common} on, are gone`;
    return new LogRefuted(
      `The registry was restored: its log was ${head.origin} and is ${origin}; ${what}.${instead} --accept-restore goes on with what both have`,
      common,
    );
  }

  private async entryAt(place: number, size: number): Promise<Buffer | undefined> {
    const number = Math.floor(place / TILE_WIDTH);
    const width = Math.min(TILE_WIDTH, size - number * TILE_WIDTH);
    return (await pieceAt(this.source, { level: 0, number, width })).entries[place % TILE_WIDTH];
  }

  /** From now on those keys are believed that have signed it beside one that was. */
  private headOf({ origin, size, root, note, signedBy }: SignedCheckpoint, { publicKeys }: LogIdentity): SeenHead {
    const also = refuting(() => verifyCheckpoint(note, [...publicKeys.map(readVerifierKey), ...signedBy]).signedBy);
    const keys = [...new Set([...also, ...signedBy].map(({ text }) => text))];
    return { origin, size, root: root.toString('base64'), note, keys };
  }
}

/** What is wrong with a signature ends the verification as all that is wrong with the log does. */
function refuting<T>(verify: () => T): T {
  try {
    return verify();
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    throw new LogRefuted(error.message, undefined, { cause: error });
  }
}

/** Without the epoch of the feed. */
function nameOf(origin: string): string {
  return origin.slice(0, origin.lastIndexOf('/'));
}
