import type { Mutant } from './mutant.js';

const FEED = 'src/feed/reading/exact-feed.ts';
const DURABLE = 'src/feed/known-clocks.ts';
const READ_POINT = 'src/feed/read-point.ts';
const SHARED = 'src/feed/single-flight.ts';
const WAIT = 'if (entries.length > 0) await this.durable.waitFor(clockUs);';
const SECOND_READ = `const us = await this.readPoint.ask(seenUs);
    const settled = await this.feed.read({ ...range, beforeUs: Math.min(range.beforeUs, us + 1) });`;
const AS_IT_WAS =
  'return entries.includes(undefined) ? undefined : { ...settled, limit: page.limit, entries: entries as FeedEntry[] };';

/** Defects of the pages: the read point, the read barrier, and what calls share. */
export const FEED_MUTANTS: readonly Mutant[] = [
  {
    name: 'no read point',
    breaks: 'A page of MariaDB is believed, though it may show a later commit without an earlier one.',
    patches: [
      {
        file: FEED,
        from: 'plain.clockUs <= settledUs || range.beforeUs <= settledUs + 1) return plain;',
        to: 'plain.clockUs <= settledUs || plain.clockUs > 0) return plain;',
      },
    ],
    faults: 'torn views',
  },
  {
    name: 'the read point after the page',
    breaks: 'The page was read before it was certain that everything up to the read point is visible.',
    patches: [
      {
        file: FEED,
        from: SECOND_READ,
        to: 'const settled = await this.feed.read(range);\n    const us = await this.readPoint.ask(seenUs);',
      },
    ],
    faults: 'torn views',
  },
  {
    name: 'a page past its read point',
    breaks: 'The second page shows changes that came after the read point, torn as the first one.',
    patches: [
      {
        file: FEED,
        from: SECOND_READ,
        to: 'const us = await this.readPoint.ask(seenUs);\n    const settled = await this.feed.read(range);',
      },
    ],
    faults: 'torn views',
  },
  {
    name: 'a page short of its read point',
    breaks: 'The newest settled change is left out, and a client does not find what it was answered.',
    patches: [{ file: FEED, from: 'Math.min(range.beforeUs, us + 1)', to: 'Math.min(range.beforeUs, us)' }],
  },
  {
    name: 'an old read point is used again',
    breaks: 'The second page ends at a read point that was taken before the first one was read.',
    patches: [
      {
        file: READ_POINT,
        from: '  private readonly flight: SingleFlight<number>;',
        to: '  private kept: number | undefined;\n  private readonly flight: SingleFlight<number>;',
      },
      {
        file: READ_POINT,
        from: 'const us = await this.flight.run();',
        to: 'const us = (this.kept ??= await this.flight.run());',
      },
    ],
    faults: 'torn views',
  },
  {
    name: 'a read point before what was seen',
    breaks: 'The second page ends at what is known to be settled, and a client does not find what it was answered.',
    patches: [{ file: READ_POINT, from: 'if (seenUs <= this.settled.us)', to: 'if (seenUs < Infinity)' }],
  },
  {
    name: 'the settled clock looked at after the page',
    breaks: 'What was settled while the page was read says nothing about its view.',
    patches: [
      {
        file: FEED,
        from: `    const settledUs = this.settled.us;
    const plain = await this.feed.read(range);`,
        to: `    const plain = await this.feed.read(range);
    const settledUs = this.settled.us;`,
      },
    ],
    faults: 'torn views',
  },
  {
    name: 'moved assets are not merged',
    breaks:
      'An asset that changes after the read point is at neither place: a client does not find what it was answered.',
    patches: [{ file: FEED, from: '({ id }) => !shown.has(id))', to: "({ id }) => id === '' && !shown.has(id))" }],
  },
  {
    name: 'only what was on the first page is missed',
    breaks: 'A page shows a part of assets that were changed as one, where one of them is changed again meanwhile.',
    patches: [
      {
        file: FEED,
        from: 'await this.atReadPoint({ ...range, limit: plain.limit }, seenUs);',
        to: 'await this.atReadPoint({ ...range, limit: plain.limit }, seenUs, new Set(plain.entries.map(({ id }) => id)));',
      },
      {
        file: FEED,
        from: 'private async atReadPoint(range: FeedRange, seenUs: number | undefined)',
        to: 'private async atReadPoint(range: FeedRange, seenUs: number | undefined, before: ReadonlySet<string>)',
      },
      {
        file: FEED,
        from: 'merge(settled, await this.past.leftSince(us, range), range)',
        to: 'merge(settled, (await this.past.leftSince(us, range)).filter(({ id }) => before.has(id)), range)',
      },
    ],
  },
  {
    name: 'an asset of which the past is not known is left out',
    breaks: 'A client does not find what it was answered, where an asset is changed again and again meanwhile.',
    patches: [
      {
        file: FEED,
        from: AS_IT_WAS,
        to: 'return { ...settled, limit: page.limit, entries: entries.filter((entry) => entry !== undefined) };',
      },
    ],
  },
  {
    name: 'merged pages grow past their limit',
    breaks: 'A page has more entries than were asked for.',
    patches: [{ file: FEED, from: '.slice(0, limit);', to: '.slice(0, limit + left.length);' }],
  },
  {
    name: 'a merged page past what fits on it',
    breaks: 'Of large assets fewer fit on the second page than on the first: the page goes on behind a gap.',
    patches: [{ file: FEED, from: 'merge(settled, await', to: 'merge({ ...settled, limit: range.limit }, await' }],
  },
  {
    name: 'a merged page of any number of bytes',
    breaks: 'Many large assets that are changed at once are all on one page, which holds the event loop.',
    patches: [{ file: FEED, from: 'whole ? fittingCount(', to: 'places.length < 0 && whole ? fittingCount(' }],
  },
  {
    name: 'merged pages lose their direction',
    breaks: 'A descending page is cut at the wrong end.',
    patches: [{ file: FEED, from: 'newestFirst ? -1 : 1', to: 'newestFirst ? 1 : 1' }],
  },
  {
    name: 'no read barrier',
    breaks: 'Without a binary log a page shows what a crash takes back.',
    patches: [{ file: FEED, from: WAIT, to: 'if (entries.length < 0) await this.durable.waitFor(clockUs);' }],
    faults: 'crashes',
  },
  {
    name: 'the barrier on the last entry',
    breaks: 'The page waits for its last row, not for what hides an older version of another asset.',
    patches: [
      {
        file: FEED,
        from: WAIT,
        to: 'if (entries.length > 0) await this.durable.waitFor(Math.min(clockUs, entries.at(-1)?.modifiedUs ?? 0));',
      },
    ],
    faults: 'crashes',
  },
  {
    name: 'the barrier on the first page’s clock',
    breaks: 'The page goes up to the read point, and waits only for what was visible before it.',
    patches: [
      {
        file: FEED,
        from: 'if (page !== undefined) return page;',
        to: 'if (page !== undefined) return { ...page, clockUs: plain.clockUs };',
      },
    ],
    faults: 'crashes',
  },
  {
    name: 'the horizon filter',
    breaks: 'Instead of waiting, a page leaves out what is not durable, and with it assets that have an older version.',
    patches: [
      {
        file: FEED,
        from: `${WAIT}\n    return { epoch, limit, entries };`,
        to: `void this.durable.waitFor(clockUs).catch(() => undefined);
    const durable = entries.filter(({ modifiedUs }) => modifiedUs <= this.durable.horizonUs(clockUs));
    return { epoch, limit, entries: durable };`,
      },
      {
        file: DURABLE,
        from: '  /** Called with the last instant of each batch',
        to: `  horizonUs(clockUs: number): number {
    return this.durability.needsBarrier() ? this.durableUs : clockUs;
  }

  /** Called with the last instant of each batch`,
      },
    ],
    faults: 'crashes',
  },
  {
    name: 'durable as soon as it is asked for',
    breaks: 'Who comes while a flush is under way does not wait for it.',
    patches: [
      {
        file: DURABLE,
        from: '    await this.flush.run();',
        to: '    this.raise(us);\n    await this.flush.run();',
      },
    ],
    faults: 'crashes',
  },
  {
    name: 'a flush behind a crash is taken for good',
    breaks: 'What a crash has taken back is shown, as the flush for it was made on a server that had been restarted.',
    patches: [
      {
        file: DURABLE,
        from: '    if (this.durability.timesLost() !== timesLost) throw unavailable();',
        to: '    if (this.durability.timesLost() < timesLost) throw unavailable();',
      },
    ],
    faults: 'crashes',
  },
  {
    name: 'a call under way is shared',
    breaks: 'A request is given a read point, or a flush, that began before it came.',
    patches: [
      {
        file: SHARED,
        from: `    this.next ??= this.current.then(
      () => this.beginNext(),
      () => this.beginNext(),
    );
    return this.next;`,
        to: '    return this.current;',
      },
      {
        file: SHARED,
        from: `  private beginNext(): Promise<T> {
    this.next = undefined;
    return this.begin();
  }

`,
        to: '',
      },
      { file: SHARED, from: '  private next: Promise<T> | undefined;\n', to: '' },
    ],
    faults: 'torn views',
  },
  {
    name: 'a failure is shared by who comes later',
    breaks: 'A request that waits behind a failed call fails with it, and so does every later one that has to wait.',
    patches: [
      {
        file: SHARED,
        from: `      () => this.beginNext(),
      () => this.beginNext(),
    );`,
        to: `      () => this.beginNext(),
    );`,
      },
    ],
  },
  {
    name: 'no barrier for single assets',
    breaks: 'GET of an asset shows what a crash takes back.',
    patches: [
      {
        file: 'src/feed/reading/shown-assets.ts',
        from: 'if (asset !== undefined) await this.durable.waitFor(asset.modifiedUs);',
        to: 'if (asset === undefined) await this.durable.waitFor(0);',
      },
    ],
    faults: 'crashes',
  },
  {
    name: 'no barrier for a change of nothing',
    breaks: 'A PATCH that changes nothing answers another process’s write that a crash takes back.',
    patches: [
      {
        file: 'src/feed/writing/ledger.ts',
        from: '    await this.context.clock.untilDurable(assets.reduce((latest, { modifiedUs }) => Math.max(latest, modifiedUs), 0));\n',
        to: '',
      },
    ],
    faults: 'crashes',
  },
];
