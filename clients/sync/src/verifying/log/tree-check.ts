import { NotFound } from 'asset-registry-client';
import { instantUs, leafHash, type Checkpoint, rootOf, tilesOf, TILE_WIDTH, TreeRoot } from 'asset-registry-tlog';
import type { VerifiedHead, VerifiedLogStore } from '../../copies/log-store.js';
import { changedPast, firstDifference, missingEntry, verifiedRoot } from './past.js';
import { entryIn, LogRefuted, shownEntry } from './refuted.js';
import { hashesAt, inOrder, type LogSource, type LoggedTile, readLoggedTile } from './source.js';
import { checkUpperTiles, shown } from './upper-tiles.js';

const TILES_PER_WRITE = 64;

/** Checks that a log matches its checkpoint, and begins with the verified entries. */
export class TreeCheck {
  private readonly tree = new TreeRoot();
  private readonly unwritten = new Map<number, Buffer>();
  /** Served tiles that differ from the stored ones: either the log was changed, or the stored tile is damaged. */
  private readonly suspects = new Map<number, Buffer>();
  /** Index of the first difference. */
  private suspectPlace: number | undefined;
  private lastUs = -1;
  /** Roots of the full tiles, as text. */
  private readonly roots: string[] = [];

  /**
   * @param head last verified state of the same log
   * @param progress is called with the number of checked entries
   */
  constructor(
    private readonly source: LogSource,
    private readonly store: VerifiedLogStore,
    private readonly checkpoint: Checkpoint,
    private readonly head: VerifiedHead | undefined,
    private readonly progress: (entries: number) => void,
    private readonly tilesPerWrite = TILES_PER_WRITE,
  ) {}

  /** Writes hashes while reading. They count as verified once the head is stored. @throws LogRefuted */
  async run(): Promise<void> {
    try {
      for await (const loggedTile of inOrder(tilesOf(this.checkpoint.size), (tile) =>
        readLoggedTile(this.source, tile),
      ))
        await this.check(loggedTile);
      await this.storeTiles();
      this.checkLength();
    } catch (error) {
      throw error instanceof LogRefuted ? await this.explained(error) : error;
    }
    if (!this.tree.root().equals(this.checkpoint.root)) throw await this.otherRoot();
    await checkUpperTiles(this.source, this.checkpoint.size, this.roots);
  }

  private async check(loggedTile: LoggedTile): Promise<void> {
    const first = loggedTile.tile.number * TILE_WIDTH;
    const isSuspect = await this.isSuspect(loggedTile, first);
    for (const [i, entry] of loggedTile.entries.entries())
      this.checkEntry(first + i, entry, loggedTile.hashes[i] as Buffer);
    for (const hash of loggedTile.hashes) {
      this.tree.add(hash);
      if (this.tree.size === this.head?.size) this.checkVerifiedRoot(this.head);
    }
    if (loggedTile.tile.width === TILE_WIDTH) this.roots.push(shown(rootOf(loggedTile.hashes)));
    this.progress(this.tree.size);
    // A suspect tile is not written until it is known which side is wrong. No tile of a truncated log is written.
    if (isSuspect || this.checkpoint.size < (this.head?.size ?? 0)) return;
    this.unwritten.set(loggedTile.tile.number, Buffer.concat(loggedTile.hashes));
    if (this.unwritten.size >= this.tilesPerWrite) await this.storeTiles();
  }

  /** Whether a tile differs from the stored one. */
  private async isSuspect({ tile, hashes }: LoggedTile, first: number): Promise<boolean> {
    const known = Math.min((this.head?.size ?? 0) - first, tile.width);
    if (known <= 0) return false;
    const differs = firstDifference(await this.store.tile(tile.number), hashes.slice(0, known));
    if (differs === undefined) return false;
    this.suspectPlace ??= first + differs;
    this.suspects.set(tile.number, Buffer.concat(hashes));
    return true;
  }

  private checkEntry(place: number, text: Buffer, hash: Buffer): void {
    const entry = entryIn(text);
    if (!leafHash(text).equals(hash))
      throw new LogRefuted(`${capital(shownEntry(place, entry))} was changed: its hash in the log differs`, place);
    if (entry === undefined)
      throw new LogRefuted(`${capital(shownEntry(place, entry))} does not describe an asset`, place);
    const us = instantUs(entry.dateModified);
    if (us <= this.lastUs)
      throw new LogRefuted(`${capital(shownEntry(place, entry))} is not later than the one before it`, place);
    this.lastUs = us;
  }

  private checkVerifiedRoot(head: VerifiedHead): void {
    if (this.tree.root().toString('base64') !== head.root)
      throw new LogRefuted(`The first ${head.size} entries are not those of the verified checkpoint`);
    // The log still has the verified entries, so the stored tiles are damaged, and are replaced.
    for (const [number, hashes] of this.suspects) this.unwritten.set(number, hashes);
    this.suspects.clear();
    this.suspectPlace = undefined;
  }

  /** Returns the error to report: a changed past rather than its consequences, if the stored hashes prove it. */
  private async explained(error: LogRefuted): Promise<LogRefuted> {
    const { source, store, checkpoint, head, suspectPlace } = this;
    if (head !== undefined && suspectPlace !== undefined) {
      const root = await verifiedRoot(store, head.size);
      if (root?.toString('base64') === head.root) return changedPast(source, store, head, checkpoint, suspectPlace);
    }
    if (!(error.cause instanceof NotFound)) return error;
    return missingEntry(source, store, head?.size ?? 0, checkpoint.size, error);
  }

  private checkLength(): void {
    const { size } = this.checkpoint;
    if (this.head === undefined || size >= this.head.size) return;
    throw new LogRefuted(
      `The log was cut: it had ${this.head.size} entries and has ${size}; the entry at place ${size} is missing`,
      size,
    );
  }

  /** Finds the changed entries, if the hashes of the level above show them. */
  private async otherRoot(): Promise<LogRefuted> {
    for (const tile of tilesOf(this.checkpoint.size, 1))
      for (const [i, hash] of (await hashesAt(this.source, tile)).entries()) {
        const number = tile.number * TILE_WIDTH + i;
        const leaves = await hashesAt(this.source, { level: 0, number, width: TILE_WIDTH });
        if (rootOf(leaves).equals(hash)) continue;
        const first = number * TILE_WIDTH;
        return new LogRefuted(
          `The entries at places ${first} to ${first + TILE_WIDTH - 1} are not those that the checkpoint was signed for`,
          first,
        );
      }
    return new LogRefuted('The entries of the log are not those that its checkpoint was signed for');
  }

  private async storeTiles(): Promise<void> {
    await this.store.storeTiles(this.unwritten);
    this.unwritten.clear();
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
