import type { IndexHit, IndexPageQuery, IndexQuery } from './index-query.js';
import type { SearchFile } from './search-file.js';
import { SearchScan } from './search-scan.js';

/** Entries that are looked at in one statement, where what was chosen stands beside them. */
const ON_THE_WAY = 500;
/** Where words were typed: FTS5 reads its lists from the beginning for each of these, however few they are. */
const ON_THE_WAY_WITH_WORDS = 20_000;

interface Place {
  amount: number;
  seq: number;
}

interface PassedEntry extends Place {
  id: string;
  modifiedUs: number;
  /** With a space around each term. */
  choices: string;
}

/** Hits in the order of their amounts: many are met often on the way along all amounts of the currency. */
export class AmountWalk {
  private readonly scan: SearchScan;

  constructor(
    private readonly file: SearchFile,
    private readonly query: IndexQuery,
    private readonly page: Omit<IndexPageQuery, 'isByAmount'>,
  ) {
    this.scan = new SearchScan(file, query);
  }

  async hits(): Promise<IndexHit[]> {
    const { limit } = this.page;
    const hits: IndexHit[] = [];
    for (let at = this.firstPlace(); ;) {
      const { passed, last } = this.query.words === undefined ? this.passed(at) : await this.passedWithWords(at);
      for (const { id, modifiedUs, amount } of passed) {
        hits.push({ id, modifiedUs, amount });
        if (hits.length === limit) return hits;
      }
      if (last === undefined || this.isBeyond(last.amount)) return hits;
      at = last;
      await this.scan.pause();
    }
  }

  private passed(at: Place): Passed {
    const rows = this.next<PassedEntry>('seq, id, us AS modifiedUs, amount, choices', at, ON_THE_WAY);
    const { choices, afterUs, beforeUs } = this.query;
    const passed = rows.filter(
      (row) =>
        this.isInside(row.amount) &&
        row.modifiedUs > afterUs &&
        row.modifiedUs < beforeUs &&
        choices.every((terms) => terms.some((term) => row.choices.includes(` ${term} `))),
    );
    return { passed, last: rows.length < ON_THE_WAY ? undefined : rows.at(-1) };
  }

  /** The index of amounts is read alone; entries are read of hits. */
  private async passedWithWords(at: Place): Promise<Passed> {
    const rows = this.next<Place>('seq, amount', at, ON_THE_WAY_WITH_WORDS);
    const inside = rows.filter(({ amount }) => this.isInside(amount)).map(({ seq }) => seq);
    const fitting = await this.scan.fitting(inside);
    const passed = inside.filter((seq) => fitting.has(seq)).slice(0, this.page.limit);
    return {
      passed: passed.map((seq) => this.entryAt(seq)),
      last: rows.length < ON_THE_WAY_WITH_WORDS ? undefined : rows.at(-1),
    };
  }

  private next<Row>(columns: string, at: Place, most: number): Row[] {
    const [way, order] = this.page.isDescending ? ['<', 'DESC'] : ['>', 'ASC'];
    const sql = `SELECT ${columns} FROM entry WHERE currency = ? AND (amount, seq) ${way} (?, ?)
      ORDER BY amount ${order}, seq ${order} LIMIT ?`;
    return this.file.rows(sql, this.query.currency, at.amount, BigInt(at.seq), most);
  }

  private entryAt(seq: number): Required<IndexHit> {
    const sql = 'SELECT id, us AS modifiedUs, amount FROM entry WHERE seq = ?';
    return this.file.rows<Required<IndexHit>>(sql, seq)[0] as Required<IndexHit>;
  }

  /** Where the way begins: behind the cursor, or before the first amount that may be found. */
  private firstPlace(): Place {
    const { after, isDescending } = this.page;
    const { from, to } = this.query;
    if (after?.amount !== undefined) return { amount: after.amount, seq: this.placeOf(after.us) };
    if (isDescending) return { amount: to?.amount ?? Number.MAX_VALUE, seq: Number.MAX_SAFE_INTEGER };
    return { amount: from?.amount ?? -1, seq: -1 };
  }

  /** The entry at an instant may have gone since: it is passed over, with none beside it. */
  private placeOf(us: number): number {
    const { isDescending } = this.page;
    const sql = isDescending
      ? 'SELECT seq FROM entry WHERE us >= ? ORDER BY us LIMIT 1'
      : 'SELECT seq FROM entry WHERE us <= ? ORDER BY us DESC LIMIT 1';
    const none = isDescending ? Number.MAX_SAFE_INTEGER : -1;
    return this.file.rows<{ seq: number }>(sql, BigInt(us))[0]?.seq ?? none;
  }

  private isInside(amount: number): boolean {
    const { from, to } = this.query;
    const isAbove = from === undefined || amount > from.amount || (from.isInside && amount === from.amount);
    return isAbove && (to === undefined || amount < to.amount || (to.isInside && amount === to.amount));
  }

  /** Whether an amount lies behind the last one that may be found. */
  private isBeyond(amount: number): boolean {
    const { from, to } = this.query;
    return this.page.isDescending ? from !== undefined && amount < from.amount : to !== undefined && amount > to.amount;
  }
}

interface Passed {
  passed: readonly Required<IndexHit>[];
  /** Where the way goes on; undefined at its end. */
  last: Place | undefined;
}
