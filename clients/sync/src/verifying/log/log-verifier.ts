import type { LogIdentity } from 'asset-registry-client';
import {
  readCheckpoint,
  readVerifierKey,
  type SignedCheckpoint,
  TILE_WIDTH,
  type VerifierKey,
  verifyCheckpoint,
} from 'asset-registry-tlog';
import type { VerifiedHead, VerifiedLogStore } from '../../copies/log-store.js';
import { EXIT, SyncError } from '../../sync-error.js';
import { publishedKeys, keysUnder, otherKeyAdvice, nameOf } from './keys.js';
import { commonEntries, verifiedRoot } from './past.js';
import { entryIn, LogRefuted, refuting, shownEntry } from './refuted.js';
import { type LogSource, readLoggedTile } from './source.js';
import { TreeCheck } from './tree-check.js';

/** The keys that the user trusts. */
interface LogTrust {
  /** If empty, the keys of the first verification are trusted. */
  logKeys: readonly VerifierKey[];
  witnesses: readonly VerifierKey[];
  /** Accepts a log that began again after a restore of the registry. */
  acceptRestore: boolean;
}

/** Result of a successful verification. */
export interface VerifiedLog {
  origin: string;
  size: number;
  /** Verifier keys that the registry names but that are not trusted. */
  otherKeys: string[];
}

/** Verifies the log of a registry against its keys, its witnesses, and its last verified state. */
export class LogVerifier {
  /** The files of the log being verified. */
  private source: LogSource;

  /**
   * @param files of the current log
   * @param progress is called with the number of checked entries
   * @param tilesPerWrite number of tiles written at once
   */
  constructor(
    private readonly files: LogSource,
    private readonly store: VerifiedLogStore,
    private readonly trust: LogTrust,
    private readonly progress: (entries: number, of: number) => void,
    private readonly tilesPerWrite?: number,
  ) {
    this.source = files;
  }

  /** @returns undefined if the registry has no log, and never had one @throws LogRefuted */
  async run(): Promise<VerifiedLog | undefined> {
    const head = await this.store.head();
    const identity = await this.files.identity();
    if (identity === undefined) return this.handleMissingLog(head);
    this.source = await refuting(() => this.files.of(identity.origin));
    try {
      return await this.verify(identity, head);
    } catch (error) {
      throw (await this.isReplaced(identity)) ? replaced(identity) : error;
    }
  }

  /** Whether the log was replaced meanwhile: then missing files do not refute it. */
  private async isReplaced({ origin }: LogIdentity): Promise<boolean> {
    const now = await this.files.identity().catch(() => undefined);
    return now !== undefined && now.origin !== origin;
  }

  private async verify(identity: LogIdentity, head: VerifiedHead | undefined): Promise<VerifiedLog> {
    const known = this.trustedKeys(identity, head);
    const checkpoint = await this.verifiedCheckpoint(identity, known);
    const begun =
      head === undefined || head.origin === checkpoint.origin ? head : await this.commonHead(head, checkpoint);
    const onProgress = (entries: number): void => this.progress(entries, checkpoint.size);
    await new TreeCheck(this.source, this.store, checkpoint, begun, onProgress, this.tilesPerWrite).run();
    const { origin, size, root, note } = checkpoint;
    // The first verification trusts the keys that have signed. Later ones trust these, or those that the user gives.
    const pinned = this.trust.logKeys.length === 0 && head === undefined ? checkpoint.signedBy : known;
    const keys = pinned.map(({ text }) => text);
    await this.store.storeHead({ origin, size, root: root.toString('base64'), note, keys });
    return { origin, size, otherKeys: otherKeys(identity, pinned) };
  }

  /** Handles a registry that names no log. */
  private handleMissingLog(head: VerifiedHead | undefined): undefined {
    const { logKeys, witnesses } = this.trust;
    if (head !== undefined)
      throw new SyncError(
        `The registry no longer names its log ${head.origin}, because it runs without the log's key. Nothing was verified`,
        EXIT.logNotComplete,
      );
    if (logKeys.length + witnesses.length > 0)
      throw new LogRefuted('The registry has no log, but a key or a witness is given');
    return undefined;
  }

  private trustedKeys(identity: LogIdentity, head: VerifiedHead | undefined): VerifierKey[] {
    const { logKeys } = this.trust;
    const pinned = logKeys.length > 0 ? logKeys : head?.keys.map(readVerifierKey);
    return keysUnder(identity.origin, pinned ?? publishedKeys(identity));
  }

  private async verifiedCheckpoint(identity: LogIdentity, known: readonly VerifierKey[]): Promise<SignedCheckpoint> {
    const { origin } = identity;
    const { witnesses } = this.trust;
    const note = await this.source.checkpoint();
    const parsed = await refuting(() => readCheckpoint(note));
    if (parsed.origin !== origin)
      throw new LogRefuted(`The checkpoint is of ${parsed.origin}, but the registry names ${origin}`);
    const others = otherKeys(identity, known).map((key) => `. ${otherKeyAdvice(key)}`);
    const checkpoint = await refuting(() => verifyCheckpoint(note, known, witnesses), others.join(''));
    const silent = witnesses.filter((one) => checkpoint.cosignedBy.every(({ witness }) => witness !== one));
    if (silent.length > 0)
      throw new LogRefuted(`The checkpoint is not signed by ${silent.map(({ name }) => name).join(', ')}`);
    return checkpoint;
  }

  /** Returns the verified state after a restore, which starts another log: the entries that both logs have. @throws LogRefuted unless it is accepted */
  private async commonHead(head: VerifiedHead, checkpoint: SignedCheckpoint): Promise<VerifiedHead> {
    const { origin, note } = checkpoint;
    if (nameOf(origin) !== nameOf(head.origin))
      throw new LogRefuted(`This is another log: ${origin} instead of ${head.origin}`);
    const common = await commonEntries(this.source, this.store, head, checkpoint);
    if (!this.trust.acceptRestore) throw await this.lostEntries(head, checkpoint, common);
    const root = ((await verifiedRoot(this.store, common)) as Buffer).toString('base64');
    const begun = { ...head, origin, size: common, root, note };
    // Stored before any hash of the new log.
    await this.store.replace(head, begun);
    return begun;
  }

  private async lostEntries(
    head: VerifiedHead,
    { origin, size }: SignedCheckpoint,
    common: number,
  ): Promise<LogRefuted> {
    const lost = head.size - common;
    const instead =
      common < size ? ` The log now has ${shownEntry(common, entryIn(await this.entryAt(common, size)))}.` : '';
    const what =
      lost === 0 ? 'no verified entries are missing' : `${lost} verified entries, from place ${common} on, are missing`;
    return new LogRefuted(
      `The registry was restored: its log was ${head.origin} and is ${origin}; ${what}.${instead} --accept-restore continues from the entries that both have`,
      common,
    );
  }

  private async entryAt(place: number, size: number): Promise<Buffer | undefined> {
    const number = Math.floor(place / TILE_WIDTH);
    const width = Math.min(TILE_WIDTH, size - number * TILE_WIDTH);
    return (await readLoggedTile(this.source, { level: 0, number, width })).entries[place % TILE_WIDTH];
  }
}

function replaced({ origin }: LogIdentity): SyncError {
  const message = `The registry was restored while its log was verified, and no longer has the log ${origin}. Verify again`;
  return new SyncError(message, EXIT.otherHistory);
}

/** Verifier keys that the registry names and that are not among the known ones. */
function otherKeys(identity: LogIdentity, known: readonly VerifierKey[]): string[] {
  const texts = publishedKeys(identity).map(({ text }) => text);
  return texts.filter((text) => known.every((key) => key.text !== text));
}
