import { ALL_FIELDS, type Content, instantAt, opOf, TITLE } from './content.js';
import type { FinalAsset, FinalState } from './final-state.js';
import { type Detail, Follower, History, type Page, type Write } from './history.js';

/** Time n of a fabricated run, in milliseconds. */
function moment(n: number): number {
  return 1_000 + n * 100;
}

/** An instant between time n and the next. */
export function instant(n: number): number {
  return Math.floor(instantAt(moment(n))) + 10;
}

/** Indexes of a listed asset that was published once, a listed one that was changed, one that was deleted, and a draft. */
export const [ONCE, CHANGED, DELETED, DRAFT] = [0, 1, 2, 3];

const IDS = ['once', 'changed', 'deleted', 'draft'];

/** A small correct run, which tests then spoil. */
export class Fabricated {
  readonly history = new History();
  readonly follower = new Follower('reader', 0);
  readonly final: FinalState;
  /** The current content of each asset. */
  private readonly contents: Content[] = [];
  private counter = 0;
  private numbers = 0;

  constructor() {
    for (const id of IDS) this.history.assetOf(id);
    this.history.followers.push(this.follower);
    this.create(ONCE, 0);
    this.create(CHANGED, 1);
    this.create(DELETED, 2);
    this.create(DRAFT, 3);
    this.change(ONCE, 'publish', 4);
    this.change(CHANGED, 'publish', 5);
    this.change(DELETED, 'publish', 6);
    this.page(7, NaN, [[ONCE, 4], [CHANGED, 5], [DELETED, 6]]); // prettier-ignore
    this.change(CHANGED, 'patch', 8, 0b010);
    this.change(DELETED, 'delete', 9);
    this.page(10, instant(6), [[CHANGED, 8], [DELETED, 9]]); // prettier-ignore
    this.page(11, instant(9), []);
    this.detail(CHANGED, 8, 12);
    const listed = new Map([[ONCE, this.asset(ONCE, 4, 0)], [CHANGED, this.asset(CHANGED, 8, 1)], [DELETED, this.asset(DELETED, 9, 2)]]); // prettier-ignore
    this.final = {
      listed,
      ascending: [ONCE, CHANGED, DELETED],
      descending: [DELETED, CHANGED, ONCE],
      details: new Map([...listed, [DRAFT, this.asset(DRAFT, 3, 3)]]),
      behind: [],
      firstWriteMs: 10,
      allowedWriteGapMs: 2_000,
    };
  }

  /** A write acknowledged at time n. */
  change(asset: number, kind: Exclude<Write['kind'], 'create'>, n: number, fields = TITLE): Write {
    const status = { publish: 'pending', delete: 'deleted', patch: this.contents[asset]?.status ?? '' }[kind];
    return this.write({ asset, kind, fields }, n, status);
  }

  /** A change without an answer. */
  unknown(asset: number, n: number): Write {
    const write = { op: this.nextOp(), kind: 'patch', asset, fields: TITLE, us: 0, outcome: 'info' } as const;
    const noted = { ...write, invoked: moment(n), returned: moment(n) + 20 };
    this.history.recordWrite(noted);
    return noted;
  }

  /** A page of up to 100 entries, each an asset and the number n of its instant. */
  page(n: number, offsetUs: number, shown: [asset: number, n: number][], further: Partial<Page> = {}): Page {
    const { entries, pages } = this.follower;
    const from = entries.length;
    for (const [asset, at] of shown) entries.push({ asset, us: instant(at), digest: 0 });
    const us = shown.map(([, at]) => instant(at));
    const page: Page = {
      walk: 0,
      node: 0,
      invoked: moment(n),
      returned: moment(n) + 20,
      limit: 100,
      descending: false,
      offsetUs,
      echoes: shown.length === 0,
      from,
      to: entries.length,
      nextUs: us.at(-1) ?? offsetUs,
      prevUs: Number.isNaN(offsetUs) ? NaN : (us[0] ?? offsetUs),
      ...further,
    };
    pages.push(page);
    return page;
  }

  detail(asset: number, at: number, n: number, further: Partial<Detail> = {}): Detail {
    const content = this.contents[asset] as Content;
    const times = { invoked: moment(n), returned: moment(n) + 20 };
    const detail = { client: 0, asset, ...times, us: instant(at), floorUs: instant(at), content, ...further };
    this.history.details.push(detail);
    return detail;
  }

  private create(asset: number, n: number): void {
    this.write({ asset, kind: 'create', fields: ALL_FIELDS, ...this.birth() }, n, 'draft');
  }

  private write(
    write: Omit<Write, 'op' | 'us' | 'invoked' | 'returned' | 'outcome'>,
    n: number,
    status: string,
  ): Write {
    const op = this.nextOp();
    const before = this.contents[write.asset]?.ops ?? [op, op, op];
    const ops = before.map((old, field) => ((write.fields & (1 << field)) === 0 ? old : op));
    const content = { status, ops, digest: op };
    this.contents[write.asset] = content;
    const noted: Write = {
      ...write,
      op,
      content,
      us: instant(n),
      invoked: moment(n),
      returned: moment(n) + 20,
      outcome: 'ok',
    };
    this.history.recordWrite(noted);
    return noted;
  }

  private asset(asset: number, at: number, createdAt: number): FinalAsset {
    const birth = this.birth();
    const number = String(createdAt + 1).padStart(6, '0');
    const assetID = birth.assetID.replace(/\d{6}$/, number);
    return { us: instant(at), content: this.contents[asset] as Content, ...birth, assetID, dateUs: instant(createdAt) };
  }

  private birth(): { assetID: string; day: string } {
    this.numbers += 1;
    const day = new Date(instant(0) / 1_000).toISOString().slice(0, 10);
    return { day, assetID: `UA-${day}-${String(this.numbers).padStart(6, '0')}` };
  }

  private nextOp(): number {
    this.counter += 1;
    return opOf(1, this.counter);
  }
}
