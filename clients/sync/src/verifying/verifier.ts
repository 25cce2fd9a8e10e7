import type { Page, RegistryClient } from 'asset-registry-client';
import { type Entry, RowReader } from '../asset-row.js';
import { type Copy, type CopyState, EVERYTHING, type Range } from '../copies/copy.js';
import { feedOf } from '../copying/filter.js';
import { usOf } from '../instants.js';
import { EXIT, SyncError } from '../sync-error.js';
import { compare, type Compared, type Difference } from './compare.js';
import { type Evidence, NO_EVIDENCE } from './evidence.js';
import { boundsOf, narrow } from './narrow.js';
import { Sum } from './sum.js';

interface VerifyPlan {
  /** Compare every document, by reading all pages. */
  documents: boolean;
  /** Repair nothing. */
  dryRun: boolean;
}

/** Result of a verification. */
export interface Verified {
  /** The position up to which the copy was compared. */
  upTo: string;
  differences: Difference[];
  /** Differences that were not repaired. */
  unrepaired: Difference[];
  /** Whether all differences were repaired, and a further comparison found none. */
  isSame: boolean;
}

/** Result of one round. */
interface Round {
  repaired: Difference[];
  unrepaired: Difference[];
}

/** Maximum number of rounds, after which a busy registry makes the result undecided. */
const MAX_ROUNDS = 5;
const PAGE = 1_000;

/** Compares a copy with the registry and repairs differences. */
export class Verifier {
  /** @param catchUp brings the copy to the end of the feed @param evidence decides which rows may be changed */
  constructor(
    private readonly copy: Copy,
    private readonly client: RegistryClient,
    private readonly plan: VerifyPlan,
    private readonly catchUp: () => Promise<CopyState>,
    private readonly evidence: Evidence = NO_EVIDENCE,
  ) {}

  /** Repeats until a round has nothing to repair, which confirms the repairs before it. */
  async run(): Promise<Verified> {
    const repaired: Difference[] = [];
    for (let round = 1; ; round++) {
      const state = await this.catchUp();
      const found = await this.round(state);
      for (const difference of found.repaired) repaired.push(difference);
      if (found.repaired.length > 0 && round < MAX_ROUNDS) continue;
      const isSame = found.repaired.length + found.unrepaired.length === 0;
      return {
        upTo: state.position,
        differences: [...repaired, ...found.unrepaired],
        unrepaired: found.unrepaired,
        isSame,
      };
    }
  }

  private async round(state: CopyState): Promise<Round> {
    const whole = { afterUs: EVERYTHING.afterUs, upToUs: state.position === '' ? 0 : usOf(state.position) };
    const differences: Difference[] = [];
    const unrepaired = new Set<string>();
    const unlisted: Entry[] = [];
    const reader = new RowReader(state);
    const feed = feedOf(this.client, state.filter);
    const requestPage = async (offset: string): Promise<Page> => {
      const page = await feed.page({ offset, limit: PAGE, fields: reader.fields });
      this.checkEpoch(page, state);
      return page;
    };
    for (const range of await this.suspectRanges(whole, state))
      for await (const found of compare(this.copy, range, requestPage, reader)) {
        for (const difference of found.differences) differences.push(difference);
        for (const entry of found.unlisted) unlisted.push(entry);
        for (const id of await this.repair(found, state)) unrepaired.add(id);
      }
    for await (const entries of this.copy.entries({ afterUs: whole.upToUs, upToUs: EVERYTHING.upToUs }))
      for (const entry of entries) unlisted.push(entry);
    if (unlisted.length > 0) await this.addSurplus(differences, unrepaired, unlisted, whole.upToUs);
    const isUnrepaired = ({ id }: Difference): boolean => unrepaired.has(id);
    return { repaired: differences.filter((one) => !isUnrepaired(one)), unrepaired: differences.filter(isUnrepaired) };
  }

  /** @returns the ids of the differences that remain */
  private async repair({ differences, adding, replacing }: Compared, state: CopyState): Promise<string[]> {
    if (this.plan.dryRun) return differences.map(({ id }) => id);
    const replaceable = new Set(await this.evidence.replaceable(replacing));
    const rows = [...adding, ...replaceable];
    if (rows.length > 0) await this.copy.write(rows, state);
    return replacing.filter((row) => !replaceable.has(row)).map(({ id }) => id);
  }

  /** The registry's sums include all assets, so a copy of some types, or with a filter, is compared row by row. */
  private async suspectRanges(whole: Range, state: CopyState): Promise<Range[]> {
    if (this.plan.documents || state.types !== null || state.filter !== null) return [whole];
    return narrow(this.copy, whole, async (range) => {
      const digest = await this.client.digest(boundsOf(range));
      this.checkEpoch(digest, state);
      return Sum.fromRegistry(digest.count, digest.digest);
    });
  }

  private checkEpoch({ epoch }: { epoch: string }, state: CopyState): void {
    if (epoch === state.epoch) return;
    throw new SyncError('The registry was restored or replaced meanwhile', EXIT.otherHistory);
  }

  /** Adds unlisted rows that are surplus. The others belong to assets that were changed meanwhile, and move in the copy when it catches up. */
  private async addSurplus(
    differences: Difference[],
    unrepaired: Set<string>,
    unlisted: readonly Entry[],
    upToUs: number,
  ): Promise<void> {
    const state = await this.catchUp();
    const surplus: Entry[] = [];
    for (const entry of unlisted) {
      const now = await this.copy.findEntry(entry.id);
      if (now?.feedUs === entry.feedUs && now.dateModified === entry.dateModified) surplus.push(entry);
    }
    // A row at the wrong position was reported already.
    const reported = new Set(differences.map(({ id }) => id));
    for (const { id, dateModified } of surplus)
      if (!reported.has(id)) differences.push({ kind: 'surplus', id, registry: null, copy: dateModified });
    const others = surplus.filter(({ id }) => !unrepaired.has(id));
    const removable = this.plan.dryRun ? [] : this.evidence.removable(others, upToUs);
    const removed = new Set(removable.map(({ id }) => id));
    if (removed.size > 0) await this.copy.remove([...removed], state);
    for (const { id } of others) if (!removed.has(id)) unrepaired.add(id);
  }
}
