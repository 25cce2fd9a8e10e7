import type { Page, RegistryClient } from 'asset-registry-client';
import { type Entry, RowReader } from '../asset-row.js';
import { type Copy, type CopyState, EVERYTHING, type Range } from '../copies/copy.js';
import { usOf } from '../instants.js';
import { EXIT, SyncError } from '../sync-error.js';
import { compare, type Difference } from './compare.js';
import { boundsOf, narrow } from './narrow.js';
import { Sum } from './sum.js';

interface VerifyPlan {
  /** Compare every document, by walking the pages. */
  documents: boolean;
  /** Mend nothing. */
  dryRun: boolean;
}

/** What a verification has found. */
export interface Verified {
  /** Up to where the copy was compared: its position. */
  upTo: string;
  differences: Difference[];
  /** All of them are mended, and looking again found nothing. */
  isSame: boolean;
}

/** A busy registry is looked at so often before the verification says that it cannot tell. */
const MOST_ROUNDS = 5;
const PAGE = 1_000;

/** Compares a copy with the registry and mends what differs. */
export class Verifier {
  /** @param catchUp brings the copy to the end of the feed */
  constructor(
    private readonly copy: Copy,
    private readonly client: RegistryClient,
    private readonly plan: VerifyPlan,
    private readonly catchUp: () => Promise<CopyState>,
  ) {}

  /** Until a round finds nothing: what one has mended the next one confirms. */
  async run(): Promise<Verified> {
    const differences: Difference[] = [];
    for (let round = 1; ; round++) {
      const state = await this.catchUp();
      const found = await this.round(state);
      for (const difference of found) differences.push(difference);
      if (found.length === 0 || this.plan.dryRun || round === MOST_ROUNDS)
        return { upTo: state.position, differences, isSame: found.length === 0 };
    }
  }

  private async round(state: CopyState): Promise<Difference[]> {
    const whole = { afterUs: EVERYTHING.afterUs, upToUs: state.position === '' ? 0 : usOf(state.position) };
    const differences: Difference[] = [];
    const unlisted: Entry[] = [];
    const reader = new RowReader(state);
    const ask = async (offset: string): Promise<Page> => {
      const page = await this.client.page({ offset, limit: PAGE, fields: reader.asked });
      this.checkEpoch(page, state);
      return page;
    };
    for (const range of await this.suspicious(whole, state))
      for await (const found of compare(this.copy, range, ask, reader)) {
        differences.push(...found.differences);
        for (const entry of found.unlisted) unlisted.push(entry);
        if (found.right.length > 0 && !this.plan.dryRun) await this.copy.write(found.right, state);
      }
    for await (const entries of this.copy.entries({ afterUs: whole.upToUs, upToUs: EVERYTHING.upToUs }))
      for (const entry of entries) unlisted.push(entry);
    return unlisted.length === 0 ? differences : this.withSurplus(differences, unlisted);
  }

  /** Sums are of all assets: a copy of some types is compared row by row. */
  private async suspicious(whole: Range, state: CopyState): Promise<Range[]> {
    if (this.plan.documents || state.types !== null) return [whole];
    return narrow(this.copy, whole, async (range) => {
      const digest = await this.client.digest(boundsOf(range));
      this.checkEpoch(digest, state);
      return Sum.told(digest.count, digest.digest);
    });
  }

  private checkEpoch(told: { epoch: string }, state: CopyState): void {
    if (told.epoch === state.epoch) return;
    throw new SyncError('The registry was restored or replaced meanwhile', EXIT.otherHistory);
  }

  /** What the registry has changed since is further on in the feed, and moves there in the copy too; what stays is surplus. */
  private async withSurplus(differences: readonly Difference[], unlisted: readonly Entry[]): Promise<Difference[]> {
    const state = await this.catchUp();
    const surplus: Difference[] = [];
    for (const { id, feedUs, dateModified } of unlisted) {
      const now = await this.copy.findEntry(id);
      if (now?.feedUs === feedUs && now.dateModified === dateModified)
        surplus.push({ kind: 'surplus', id, registry: null, copy: dateModified });
    }
    if (surplus.length > 0 && !this.plan.dryRun)
      await this.copy.remove(
        surplus.map(({ id }) => id),
        state,
      );
    // A row at the wrong place is told already.
    const told = new Set(differences.map(({ id }) => id));
    return [...differences, ...surplus.filter(({ id }) => !told.has(id))];
  }
}
