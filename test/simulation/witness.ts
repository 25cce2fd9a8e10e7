import type { Asset } from '../../src/database/entities/asset.entity.js';
import type { Revision } from '../../src/database/entities/revision.entity.js';
import { restoreBody } from '../../src/database/readers/body-delta.js';
import { PageMoments } from './page-moments.js';

/** An answer that was given: an asset, and its instant. */
interface Shown {
  id: string;
  us: number;
}

/** The number that each write leaves in the body, so that it can be seen which were kept, and how often. */
export function markOf(write: number): string {
  return `<${write}>`;
}

/** Remembers what was promised, and says where a promise was broken. */
export class Witness {
  readonly violations: string[] = [];
  changes = 0;
  /** Every acknowledged change of a listed asset, in the order of the answers. */
  readonly acknowledged: Shown[] = [];
  /** The highest instant that anybody was answered. */
  highestUs = 0;
  readonly pages = new PageMoments();
  private readonly latest = new Map<string, number>();
  private readonly owners = new Map<number, string>();
  private readonly repeatables = new Map<number, string>();
  private readonly writes = new Map<string, number[]>();
  private readonly groups = new Map<number, readonly string[]>();

  broken(sentence: string): void {
    if (this.violations.length < 20) this.violations.push(sentence);
  }

  /** @param write the number of a write that changed something @param afterUs the highest instant known when it was sent */
  acknowledge(asset: Asset, write: number, afterUs: number): void {
    this.changes++;
    const { id, modifiedUs: us } = asset;
    if (!asset.body.includes(markOf(write))) this.broken(`the answer to write ${write} does not show it`);
    if (us <= afterUs) this.broken(`write ${write} has ${us}, and ${afterUs} was acknowledged before it was sent`);
    const writes = this.writes.get(id);
    if (writes === undefined) this.writes.set(id, [write]);
    else writes.push(write);
    this.show(id, us);
    if (asset.feedUs !== null) this.acknowledged.push({ id, us });
  }

  /** Several assets are to be changed as one. */
  beginGroup(write: number, ids: readonly string[]): void {
    this.groups.set(write, ids);
  }

  /** They were, with consecutive instants in their order. */
  acknowledgeGroup(write: number, assets: readonly Asset[]): void {
    const first = assets[0]?.modifiedUs ?? 0;
    if (assets.some(({ modifiedUs }, i) => modifiedUs !== first + i))
      this.broken(`the instants of group ${write} are not consecutive`);
  }

  /** A creation that may have been sent several times. */
  acknowledgeRepeatable(write: number, id: string): void {
    this.changes++;
    const owner = this.repeatables.get(write);
    if (owner !== undefined && owner !== id) this.broken(`write ${write} created ${owner} and ${id}`);
    this.repeatables.set(write, id);
  }

  /** Records that a reader saw this version: it must never disappear. */
  show(id: string, us: number): void {
    const owner = this.owners.get(us);
    if (owner !== undefined && owner !== id) this.broken(`${us} belongs to two assets, ${owner} and ${id}`);
    this.owners.set(us, id);
    if (us > (this.latest.get(id) ?? 0)) this.latest.set(id, us);
    if (us > this.highestUs) this.highestUs = us;
  }

  /** Checks, after each crash and at the end, that no version that a reader saw is newer than the stored one. */
  compare(rows: ReadonlyMap<string, Asset>): void {
    for (const [id, us] of this.latest) {
      const row = rows.get(id);
      if (row === undefined || row.modifiedUs < us) {
        this.broken(`phantom: ${id} was shown at ${us}, and the registry has ${row?.modifiedUs ?? 'nothing'}`);
      }
    }
  }

  /** At the end: every acknowledged write is kept, each write once, and numbers are dense and in order. */
  conclude(rows: ReadonlyMap<string, Asset>): void {
    this.compare(rows);
    for (const [id, writes] of this.writes) {
      const body = rows.get(id)?.body ?? '';
      for (const write of writes) if (!body.includes(markOf(write))) this.broken(`lost: write ${write} of ${id}`);
    }
    for (const { id, body } of rows.values()) {
      const marks = body.match(/<\d+>/g) ?? [];
      if (new Set(marks).size !== marks.length) this.broken(`a write was made twice: ${id} has ${body}`);
    }
    for (const [write, ids] of this.groups) {
      const changed = ids.filter((id) => rows.get(id)?.body.includes(markOf(write)));
      if (changed.length > 0 && changed.length < ids.length)
        this.broken(`half: group ${write} changed ${changed.length} of ${ids.length}`);
    }
    this.checkCreations([...rows.values()]);
    this.checkNumbers([...rows.values()]);
  }

  /** Every creation was made once, whether or not it was answered; and those that were answered are there. */
  private checkCreations(rows: readonly Asset[]): void {
    const created = new Map<number, string>();
    for (const { id, body } of rows) {
      const write = Number(/^<(\d+)>/.exec(body)?.[1]);
      if (created.has(write)) this.broken(`write ${write} created both ${created.get(write)} and ${id}`);
      created.set(write, id);
    }
    for (const [write, id] of this.repeatables) {
      if (created.get(write) !== id) this.broken(`write ${write} created ${id}, and there is ${created.get(write)}`);
    }
  }

  /** At the end: the revisions of an asset and the asset itself are one unbroken chain, from its creation to now. */
  checkHistories(rows: ReadonlyMap<string, Asset>, revisions: readonly Revision[]): void {
    const next = new Map<string, Pick<Revision, 'version' | 'modifiedUs' | 'body'>>(rows);
    for (const revision of revisions.toSorted((a, b) => b.untilUs - a.untilUs)) {
      const { asset, version, modifiedUs, untilUs } = revision;
      const after = next.get(asset);
      const body = restoreBody(
        { ...revision, body: Buffer.from(revision.body) },
        Buffer.from(after?.body ?? ''),
      ).toString();
      // Each write adds its mark at the end.
      const isBefore = after?.body.replace(/<\d+>$/, '') === body;
      if (after?.version !== version + 1 || after.modifiedUs !== untilUs || !isBefore)
        this.broken(`the revision ${version} of ${asset} does not lead to ${after?.version} at ${after?.modifiedUs}`);
      next.set(asset, { version, modifiedUs, body });
    }
    for (const [id, { version }] of next)
      if (version !== 1) this.broken(`the history of ${id} begins with its version ${version}`);
  }

  private checkNumbers(rows: Asset[]): void {
    const next = new Map<string, number>();
    let lastDay = '';
    for (const { assetId, createdUs } of rows.toSorted((a, b) => a.createdUs - b.createdUs)) {
      const [, day = '', number] = /^UA-(.{10})-(\d+)$/.exec(assetId) ?? [];
      const expected = (next.get(day) ?? 0) + 1;
      if (Number(number) !== expected) this.broken(`${assetId} stands where number ${expected} belongs`);
      if (day !== new Date(createdUs / 1_000).toISOString().slice(0, 10)) this.broken(`${assetId} is not of its day`);
      if (day < lastDay) this.broken(`${assetId} comes after ${lastDay}`);
      next.set(day, expected);
      lastDay = day;
    }
  }
}
