/*
 * Invariants of the listing as synchronisers saw it: pure functions of a history and the registry's final state, which return violations as
 * sentences.
 */
import { partitionPoint } from '../support/partition-point.js';
import type { FinalState } from './final-state.js';
import { byAsset, type Follower, type History, type Page, type Write } from './history.js';
import { at, Violations } from './violations.js';

/** Acknowledged writes that left an asset in the listing, in the order of their answers. */
function listedWrites(history: History): Write[] {
  const listed = history.writes.filter((write) => write.outcome === 'ok' && write.content?.status !== 'draft');
  return listed.toSorted((a, b) => a.returned - b.returned);
}

/**
 * Whether an asset changed while a page was read. Then the page may show neither version: the old one is gone, and the new one lies after the read
 * point, so the next page shows it.
 */
class Changing {
  private readonly groups: Map<number, Write[]>;

  constructor(history: History) {
    this.groups = byAsset(history.writes);
  }

  during(page: Page, { asset, us }: Write): boolean {
    return (this.groups.get(asset) ?? []).some((write) => {
      if (write.outcome === 'fail' || write.invoked > page.returned) return false;
      // A write without an answer may be committed at any later time.
      return write.outcome === 'info' || (write.us > us && write.returned > page.invoked);
    });
  }
}

/** 1. At each empty page, the mirror has every version that was acknowledged before the request for that page, or a newer one. */
export function noMissedChange(history: History): string[] {
  const violations = new Violations();
  const acknowledged = listedWrites(history);
  const changing = new Changing(history);
  for (const follower of history.followers) {
    for (const { asset, us } of missedBy(follower, acknowledged, changing, history.ids.length)) {
      violations.add(
        `${follower.name} reached the end without asset ${history.ids[asset]} as of ${at(us)}, acknowledged before`,
      );
    }
  }
  return violations.all;
}

function* missedBy(
  { pages, entries }: Follower,
  acknowledged: readonly Write[],
  changing: Changing,
  assets: number,
): Generator<Write> {
  const mirror = new Float64Array(assets);
  let open: Write[] = [];
  let next = 0;
  for (const page of pages) {
    for (const { asset, us } of entries.slice(page.from, page.to))
      mirror[asset] = Math.max(mirror[asset] as number, us);
    if (page.descending || page.from !== page.to) continue;
    while ((acknowledged[next]?.returned ?? Infinity) < page.invoked) open.push(acknowledged[next++] as Write);
    // A mirror never goes back, so a version that it has need not be checked again.
    const missing = open.filter(({ asset, us }) => (mirror[asset] as number) < us);
    open = missing.filter((write) => changing.during(page, write));
    if (missing.length > open.length) yield* missing.filter((write) => !open.includes(write));
  }
}

/** 2. At the end each mirror equals the registry: the same assets, times and bodies. */
export function finalEquality(history: History, final: FinalState): string[] {
  const violations = new Violations();
  for (const follower of history.followers) {
    if (!final.behind.includes(follower.name)) compareMirror(follower, history, final, violations);
  }
  for (const [asset, detail] of final.details) {
    const listed = final.listed.get(asset);
    if (listed !== undefined && (detail?.us !== listed.us || detail.content.digest !== listed.content.digest))
      violations.add(`asset ${history.ids[asset]} reads differently by its id than in the listing`);
  }
  return violations.all;
}

function compareMirror(follower: Follower, history: History, final: FinalState, violations: Violations): void {
  const { name } = follower;
  const mirror = mirrorOf(follower);
  for (const [asset, { us, content }] of final.listed) {
    const mirrored = mirror.get(asset);
    const id = history.ids[asset];
    if (mirrored === undefined) violations.add(`${name} never saw asset ${id}, which is listed with ${at(us)}`);
    else if (mirrored.us !== us)
      violations.add(`${name} has ${at(mirrored.us)} of asset ${id}, the registry ${at(us)}`);
    else if (mirrored.digest !== 0 && mirrored.digest !== content.digest)
      violations.add(`${name} has another body of asset ${id} as of ${at(us)} than the registry`);
  }
  for (const asset of mirror.keys()) {
    if (!final.listed.has(asset)) violations.add(`${name} has asset ${history.ids[asset]}, which is no longer listed`);
  }
}

function mirrorOf({ entries }: Follower): Map<number, { us: number; digest: number }> {
  const mirror = new Map<number, { us: number; digest: number }>();
  for (const { asset, us, digest } of entries) {
    if (us >= (mirror.get(asset)?.us ?? 0)) mirror.set(asset, { us, digest });
  }
  return mirror;
}

/** 3. No dateModified belongs to two assets or two writes, or occurs twice in a walk. */
export function uniqueInstants(history: History): string[] {
  const violations = new Violations();
  const owners = new Map<number, number>();
  const see = (asset: number, us: number): void => {
    const owner = owners.get(us);
    if (owner === undefined) owners.set(us, asset);
    else if (owner !== asset)
      violations.add(`${at(us)} is the dateModified of both ${history.ids[owner]} and ${history.ids[asset]}`);
  };
  const written = new Set<number>();
  for (const { outcome, asset, us } of history.writes) {
    if (outcome !== 'ok') continue;
    if (written.has(us)) violations.add(`${at(us)} was the answer to two writes`);
    written.add(us);
    see(asset, us);
  }
  for (const { asset, us } of history.details) see(asset, us);
  for (const { entries } of history.followers) for (const { asset, us } of entries) see(asset, us);
  for (const follower of history.followers) onceInAWalk(follower, violations);
  return violations.all;
}

function onceInAWalk({ name, pages, entries }: Follower, violations: Violations): void {
  let seen = new Set<number>();
  for (const [i, page] of pages.entries()) {
    if (pages[i - 1]?.walk !== page.walk) seen = new Set();
    for (const { us } of entries.slice(page.from, page.to)) {
      if (seen.has(us)) violations.add(`${name} was shown ${at(us)} twice in one walk`);
      seen.add(us);
    }
  }
}

/** 4. Pages are in strict order, internally and across; links are correct; no page exceeds its limit. */
export function orderOfPages(history: History): string[] {
  const violations = new Violations();
  for (const { name, pages, entries } of history.followers) {
    for (const [i, page] of pages.entries()) {
      const previous = pages[i - 1];
      const follows = previous?.walk === page.walk;
      // Both sides have the same instant, or none; `Object.is`, because NaN is not equal to itself.
      if (follows && !Object.is(previous.nextUs, page.offsetUs))
        violations.add(`${name} asked for another offset than that of next_page`);
      const instants = entries.slice(page.from, page.to).map(({ us }) => us);
      checkPage(page, instants, (fault) => violations.add(`${name} got a page after ${at(page.offsetUs)} ${fault}`));
    }
  }
  return violations.all;
}

function checkPage(page: Page, instants: readonly number[], say: (fault: string) => void): void {
  const { limit, descending, offsetUs, nextUs, prevUs, echoes } = page;
  if (instants.length > limit) say(`of ${instants.length} entries with a limit of ${limit}`);
  let last = offsetUs;
  for (const us of instants) {
    const ahead = descending ? us < last : us > last;
    if (!ahead && !Number.isNaN(last)) say(`with ${at(us)} after ${at(last)}`);
    last = us;
  }
  const [first] = instants;
  if (first === undefined) {
    if (!echoes) say('that is empty and does not give the offset back');
    return;
  }
  if (nextUs !== last) say(`whose next offset is ${at(nextUs)} and not its last entry, ${at(last)}`);
  const expected = Number.isNaN(offsetUs) && !descending ? NaN : first;
  if (!Object.is(prevUs, expected)) say(`whose previous offset is ${at(prevUs)} and not ${at(expected)}`);
}

/** 7. A page requested after a write was acknowledged shows the write, unless its asset changed again and now lies after the page's end. */
export function readYourWrites(history: History, final: FinalState): string[] {
  const violations = new Violations();
  const acknowledged = new Acknowledged(listedWrites(history));
  const changing = new Changing(history);
  for (const { name, pages, entries } of history.followers) {
    for (const page of pages) {
      if (page.descending) continue;
      const shown = new Map(entries.slice(page.from, page.to).map(({ asset, us }) => [asset, us]));
      const end = page.to - page.from >= page.limit ? (entries[page.to - 1]?.us ?? Infinity) : Infinity;
      for (const write of acknowledged.before(page.invoked, page.offsetUs, end)) {
        const { asset, us } = write;
        if ((shown.get(asset) ?? 0) >= us || (final.listed.get(asset)?.us ?? 0) > end) continue;
        if (changing.during(page, write)) continue;
        violations.add(
          `${name} got a page after ${at(page.offsetUs)} without asset ${history.ids[asset]}, acknowledged as of ${at(us)} before`,
        );
      }
    }
  }
  return violations.all;
}

/** Acknowledged writes, searchable by the time of their answers and by instant. */
class Acknowledged {
  private readonly byInstant: readonly Write[];
  /** The highest instant among the answers up to each. */
  private readonly highest: readonly number[];

  /** @param byAnswer in the order of their answers */
  constructor(private readonly byAnswer: readonly Write[]) {
    this.byInstant = byAnswer.toSorted((a, b) => a.us - b.us);
    let most = 0;
    this.highest = byAnswer.map(({ us }) => (most = Math.max(most, us)));
  }

  /** Writes answered before a moment, with instants after `afterUs` (NaN for all) and up to `endUs`. */
  *before(moment: number, afterUs: number, endUs: number): Generator<Write> {
    const answered = partitionPoint(this.byAnswer, ({ returned }) => returned > moment);
    const end = Math.min(endUs, this.highest[answered - 1] ?? -Infinity);
    const first = Number.isNaN(afterUs) ? 0 : partitionPoint(this.byInstant, ({ us }) => us > afterUs);
    for (let i = first; i < this.byInstant.length; i++) {
      const write = this.byInstant[i] as Write;
      if (write.us > end) return;
      if (write.returned < moment) yield write;
    }
  }
}

/** 8. A client never reads an older version of an asset than it knows, from whichever service. */
export function readsNeverGoBack(history: History): string[] {
  const violations = new Violations();
  const newest = new Map<number, Map<number, number>>();
  for (const { client, asset, us, floorUs } of history.details) {
    const mine = newest.get(client) ?? new Map<number, number>();
    newest.set(client, mine);
    const known = Math.max(floorUs, mine.get(asset) ?? 0);
    if (us < known)
      violations.add(`asset ${history.ids[asset]} read as of ${at(us)} by a client that knew it as of ${at(known)}`);
    mine.set(asset, Math.max(us, known));
  }
  return violations.all;
}

/** 14. Drafts are never listed; on a quiet registry the descending listing is the reverse of the ascending one. */
export function draftsAndDirection(history: History, final: FinalState): string[] {
  const violations = new Violations();
  const published = new Set<number>();
  const firstListed = new Map<number, number>();
  for (const { kind, asset, outcome, us } of history.writes) {
    if (kind !== 'publish' || outcome === 'fail') continue;
    published.add(asset);
    if (outcome === 'ok') firstListed.set(asset, us);
  }
  for (const { name, entries } of history.followers) {
    for (const { asset, us } of entries) {
      if (!published.has(asset))
        violations.add(`${name} was shown asset ${history.ids[asset]}, which no client published`);
      else if (us < (firstListed.get(asset) ?? 0))
        violations.add(`${name} was shown the draft of asset ${history.ids[asset]}, as of ${at(us)}`);
    }
  }
  for (const [asset, { content }] of final.listed) {
    if (content.status === 'draft') violations.add(`the draft ${history.ids[asset]} is listed`);
  }
  return [...violations.all, ...reversedListing(final)];
}

function reversedListing({ ascending, descending }: FinalState): string[] {
  const turned = descending.toReversed();
  if (ascending.length === turned.length && ascending.every((asset, i) => turned[i] === asset)) return [];
  return [`the listing backward (${turned.length}) is not the listing (${ascending.length}) turned round`];
}
