import type { Mutant } from './mutant.js';

const WATERMARKS = 'src/feed/watermarks.ts';
const EXACT_FEED = 'src/feed/reading/exact-feed.ts';
const READ_POINT = 'src/feed/read-point.ts';
const SINGLE_FLIGHT = 'src/platform/concurrency/single-flight.ts';
const SHOWN_ASSETS = 'src/feed/reading/shown-assets.ts';

/** Defects in reading the feed: the read point, the read barrier, and calls shared by requests. */
export const READING_MUTANTS: readonly Mutant[] = [
  {
    name: 'no read point',
    breaks: 'A page of MariaDB may show a later commit without an earlier one.',
    spec: 'src/feed/reading/exact-feed.spec.ts',
    patches: [
      {
        file: EXACT_FEED,
        from: 'plain.clockUs <= settledUs || range.beforeUs <= settledUs + 1) return plain;',
        to: 'plain.clockUs <= settledUs || plain.clockUs > 0) return plain;',
      },
    ],
  },
  {
    name: 'the read point after the page',
    breaks: 'The page was read before everything up to the read point was visible.',
    spec: 'src/feed/reading/exact-feed.spec.ts',
    patches: [
      {
        file: EXACT_FEED,
        from: `const us = await this.readPoint.obtain(seenUs);
    const settled = await this.feed.read({ ...range, beforeUs: Math.min(range.beforeUs, us + 1) });`,
        to: `const settled = await this.feed.read(range);
    const us = await this.readPoint.obtain(seenUs);`,
      },
    ],
  },
  {
    name: 'an old read point is reused',
    breaks: 'The second page ends at a read point that was taken before the first one was read.',
    spec: 'src/feed/reading/exact-feed.spec.ts',
    patches: [
      {
        file: READ_POINT,
        from: '  private readonly flight: SingleFlight<number>;',
        to: `  private kept: number | undefined;
  private readonly flight: SingleFlight<number>;`,
      },
      {
        file: READ_POINT,
        from: 'const us = await this.flight.run();',
        to: 'const us = (this.kept ??= await this.flight.run());',
      },
    ],
  },
  {
    name: 'the settled clock is read after the page',
    breaks: 'A commit that was settled while the page was read may be missing in its view.',
    spec: 'src/feed/reading/exact-feed.spec.ts',
    patches: [
      {
        file: EXACT_FEED,
        from: `    const settledUs = this.settled.us;
    const plain = await this.feed.read(range);`,
        to: `    const plain = await this.feed.read(range);
    const settledUs = this.settled.us;`,
      },
    ],
  },
  {
    name: 'moved assets are not merged',
    breaks: 'An asset that changes after the read point is in neither position.',
    spec: 'src/feed/reading/exact-feed.spec.ts',
    patches: [
      { file: EXACT_FEED, from: '({ id }) => !shown.has(id))', to: "({ id }) => id === '' && !shown.has(id))" },
    ],
  },
  {
    name: 'no read barrier',
    breaks: 'Without a binary log a page shows changes that a crash undoes.',
    spec: 'src/feed/reading/exact-feed.spec.ts',
    patches: [
      {
        file: EXACT_FEED,
        from: 'if (entries.length > 0) await this.durable.waitFor(clockUs);',
        to: 'if (entries.length < 0) await this.durable.waitFor(clockUs);',
      },
    ],
  },
  {
    name: 'the barrier waits for the last entry only',
    breaks: 'The page waits for its last row, not for the change that hides an older version of another asset.',
    spec: 'src/feed/reading/exact-feed.spec.ts',
    patches: [
      {
        file: EXACT_FEED,
        from: 'if (entries.length > 0) await this.durable.waitFor(clockUs);',
        to: 'if (entries.length > 0) await this.durable.waitFor(Math.min(clockUs, entries.at(-1)?.modifiedUs ?? 0));',
      },
    ],
  },
  {
    name: 'the barrier waits for the first view’s clock',
    breaks: 'The page reaches the read point, but waits only for earlier commits.',
    spec: 'src/feed/reading/exact-feed.spec.ts',
    patches: [
      {
        file: EXACT_FEED,
        from: 'if (page !== undefined) return page;',
        to: 'if (page !== undefined) return { ...page, clockUs: plain.clockUs };',
      },
    ],
  },
  {
    name: 'durable as soon as a flush is requested',
    breaks: 'A request that comes while a flush is under way does not wait for it.',
    spec: 'src/feed/watermarks.spec.ts',
    patches: [
      {
        file: WATERMARKS,
        from: '    await this.flush.run();',
        to: `    this.raise(us);
    await this.flush.run();`,
      },
    ],
  },
  {
    name: 'a flush after a crash counts',
    breaks: 'A page shows changes that a crash undid, because the flush was on the restarted server.',
    spec: 'src/feed/watermarks.spec.ts',
    patches: [
      {
        file: WATERMARKS,
        from: "    if (this.durability.timesLost() !== timesLost) throw unavailable('changed_meanwhile');",
        to: "    if (this.durability.timesLost() < timesLost) throw unavailable('changed_meanwhile');",
      },
    ],
  },
  {
    name: 'a request joins an earlier call',
    breaks: 'A request gets a read point, or a flush, that began before the request came.',
    spec: 'src/feed/reading/exact-feed.spec.ts',
    patches: [
      {
        file: SINGLE_FLIGHT,
        from: `    this.next ??= this.current.then(
      () => this.beginNext(),
      () => this.beginNext(),
    );
    return this.next;`,
        to: '    return this.current;',
      },
      {
        file: SINGLE_FLIGHT,
        from: `  private beginNext(): Promise<T> {
    this.next = undefined;
    return this.begin();
  }

`,
        to: '',
      },
      {
        file: SINGLE_FLIGHT,
        from: `  private next: Promise<T> | undefined;
`,
        to: '',
      },
    ],
  },
  {
    name: 'no barrier for single assets',
    breaks: 'GET of an asset shows changes that a crash undoes.',
    spec: 'src/feed/reading/shown-assets.spec.ts',
    patches: [
      {
        file: SHOWN_ASSETS,
        from: 'if (asset !== undefined) await this.durable.waitFor(asset.modifiedUs);',
        to: 'if (asset === undefined) await this.durable.waitFor(0);',
      },
    ],
  },
];
