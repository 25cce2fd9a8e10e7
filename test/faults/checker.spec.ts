import { describe, expect, it } from '@jest/globals';
import { check, INVARIANTS } from './checker.js';
import type { Content } from './content.js';
import { CHANGED, DELETED, DRAFT, Fabricated, instant, ONCE } from './fabricated.js';
import type { FinalAsset } from './final-state.js';
import type { Write } from './history.js';

/** The numbers of the invariants that a fabricated run breaks after `spoil`. */
function broken(spoil: (run: Fabricated) => void): number[] {
  const run = new Fabricated();
  spoil(run);
  return brokenIn(run);
}

function brokenIn(run: Fabricated): number[] {
  return INVARIANTS.flatMap(([name, invariant]) =>
    invariant(run.history, run.final).length > 0 ? [parseInt(name, 10)] : [],
  );
}

function write(run: Fabricated, kind: Write['kind'], asset: number): Write {
  return run.history.writes.find((other) => other.kind === kind && other.asset === asset) as Write;
}

/** Every way in which a run can break a guarantee, and the invariants that must report it. */
const SPOILED: [what: string, invariants: number[], spoil: (run: Fabricated) => void][] = [
  [
    'an asset that was published once is never shown',
    [1, 2, 7],
    (run) => {
      const { us, content } = run.change(DRAFT, 'publish', 13);
      run.page(14, instant(9), []);
      run.final.listed.set(DRAFT, { ...(run.final.details.get(DRAFT) as FinalAsset), us, content: content as Content });
    },
  ],
  [
    'the registry has a later version than a mirror',
    [2, 5],
    (run) => {
      run.change(ONCE, 'patch', 13);
      const listed = run.final.listed.get(ONCE);
      if (listed !== undefined) listed.us = instant(14);
    },
  ],
  [
    'a mirror has another body',
    [2, 5],
    (run) => run.follower.entries.push({ asset: DELETED, us: instant(9), digest: 77 }),
  ],
  [
    'a body differs by id',
    [2],
    (run) => {
      const listed = run.final.listed.get(ONCE);
      if (listed !== undefined) run.final.details.set(ONCE, { ...listed, content: { ...listed.content, digest: 77 } });
    },
  ],
  ['one instant belongs to two assets', [3], (run) => run.detail(ONCE, 8, 13)],
  ['one instant was given to two writes', [3], (run) => (write(run, 'publish', ONCE).us = instant(5))],
  ['an entry comes twice in a walk', [3, 4], (run) => run.page(12, instant(9), [[DELETED, 9]])],
  ['entries are not in order', [4], (run) => run.page(12, instant(9), [[DELETED, 9], [CHANGED, 8]])], // prettier-ignore
  ['a page has more entries than its limit', [4], (run) => run.page(12, NaN, [[ONCE, 4], [CHANGED, 8], [DELETED, 9]], { walk: 1, limit: 2 })], // prettier-ignore
  ['the next offset is not the last entry', [4], (run) => run.page(12, instant(4), [[CHANGED, 8], [DELETED, 9]], { walk: 1, nextUs: instant(8) })], // prettier-ignore
  ['the previous offset is one row off', [4], (run) => run.page(12, instant(4), [[CHANGED, 8], [DELETED, 9]], { walk: 1, prevUs: instant(9) })], // prettier-ignore
  ['an empty page drops the offset', [4], (run) => run.page(12, instant(9), [], { nextUs: NaN, echoes: false })],
  ['two bodies are shown of one version', [5], (run) => run.detail(CHANGED, 8, 13, { content: { ...(write(run, 'patch', CHANGED).content as object), digest: 77 } as never })], // prettier-ignore
  [
    'a later write has the smaller instant',
    [6],
    (run) => (write(run, 'create', DRAFT).us = instant(2) + 1 - 2_000_000),
  ],
  [
    'a page leaves out what was acknowledged before',
    [7],
    (run) => run.page(12, instant(4), [[CHANGED, 8]], { walk: 1 }),
  ],
  [
    'a detail is older than the entry that led to it',
    [8],
    (run) => run.detail(DELETED, 6, 13, { floorUs: instant(9) }),
  ],
  ['a detail goes back on another service', [8], (run) => run.detail(CHANGED, 5, 13)],
  ['a version was shown that the registry has forgotten', [9], (run) => run.detail(ONCE, 12, 13)],
  ['an asset that was shown is missing', [2, 9, 11], (run) => run.final.listed.delete(ONCE) && run.final.details.set(ONCE, undefined)], // prettier-ignore
  [
    'content that was refused is shown',
    [9, 12],
    (run) => {
      const refused = run.unknown(CHANGED, 13);
      refused.outcome = 'fail';
      run.history.writes.splice(-1, 1, refused);
      const { content } = write(run, 'patch', CHANGED);
      run.detail(CHANGED, 8, 14, {
        content: { ...content, ops: [refused.op, ...(content?.ops.slice(1) ?? [])] } as never,
      });
    },
  ],
  [
    'a text is truncated',
    [9, 12],
    (run) => {
      const { content } = write(run, 'patch', CHANGED);
      run.detail(CHANGED, 8, 14, { content: { ...content, ops: [-1, -1, -1] } as never });
    },
  ],
  [
    'one write of unknown outcome made two versions',
    [9],
    (run) => {
      run.unknown(CHANGED, 6);
      run.detail(CHANGED, 6, 13, { client: 1, us: instant(6) + 1, floorUs: 0 });
      run.detail(CHANGED, 7, 13, { client: 1, us: instant(7) + 1, floorUs: 0 });
    },
  ],
  [
    'a text returns after it was replaced',
    [10],
    (run) => {
      const { op } = run.unknown(CHANGED, 5);
      const shown = (n: number, title: number): void => {
        const { ops = [], ...content } = write(run, 'publish', CHANGED).content ?? {};
        run.detail(CHANGED, n, 13, { client: n, floorUs: 0, us: instant(n) + 1, content: { ...content, ops: [title, ...ops.slice(1)] } as never }); // prettier-ignore
      };
      shown(5, op);
      shown(6, write(run, 'publish', CHANGED).op);
      shown(7, op);
    },
  ],
  [
    'an acknowledged write is undone',
    [11],
    (run) => {
      const listed = run.final.listed.get(CHANGED);
      if (listed !== undefined) run.final.listed.set(CHANGED, { ...listed, us: instant(5) });
    },
  ],
  ['a draft is lost', [11], (run) => run.final.details.set(DRAFT, undefined)],
  [
    'a writer undoes the field of another',
    [12],
    (run) => {
      const { content } = run.change(CHANGED, 'patch', 13, 0b100);
      if (content !== undefined)
        content.ops = [content.ops[0] as number, write(run, 'create', CHANGED).op, content.ops[2] as number];
    },
  ],
  [
    'a deleted asset is pending again',
    [12],
    (run) => {
      const { content } = write(run, 'delete', DELETED);
      if (content !== undefined) content.status = 'pending';
    },
  ],
  [
    'a number is given twice',
    [13],
    (run) => (write(run, 'create', CHANGED).assetID = write(run, 'create', ONCE).assetID as string),
  ],
  [
    'a number is left out',
    [13],
    (run) => {
      const last = write(run, 'create', DRAFT);
      run.final.details.delete(DRAFT);
      last.assetID = last.assetID?.replace(/4$/, '5') as string;
    },
  ],
  [
    'numbers are not in the order of creation',
    [13],
    (run) => {
      const [one, other] = [write(run, 'create', ONCE), write(run, 'create', CHANGED)];
      [one.assetID, other.assetID] = [other.assetID as string, one.assetID as string];
    },
  ],
  ['an assetID has another day than the date', [13], (run) => (write(run, 'create', DRAFT).day = '2001-01-01')],
  ['a draft is listed', [2, 14], (run) => run.page(12, instant(2), [[DRAFT, 3]], { walk: 1 })],
  ['an asset was listed before it was published', [14], (run) => run.page(12, NaN, [[ONCE, 0]], { walk: 1 })],
  ['the descending listing differs from the ascending one', [14], (run) => run.final.descending.reverse()],
  ['no write succeeds after the last fault', [15], (run) => (run.final.firstWriteMs = undefined)],
  ['writes succeed late after the last fault', [15], (run) => (run.final.firstWriteMs = 41_000)],
  ['a reader does not reach the end', [15], (run) => run.final.behind.push('other reader')],
  ['a request outlasts a frozen database', [15], (run) => (run.history.freeze('database', -1).longestMs = 32_100)],
  ['no write is acknowledged for too long', [15], (run) => (run.final.allowedWriteGapMs = 190)],
  ['an instant is far from the true time', [15], (run) => run.history.writes.push({ ...write(run, 'create', DRAFT), us: instant(3) + 5_000_000 })], // prettier-ignore
];

describe('the checker', () => {
  it('reports no violation in a correct run', () => {
    const { history, final } = new Fabricated();
    expect(check(history, final)).toEqual([]);
  });

  it('reports no violation if a write of unknown outcome took effect once', () => {
    const run = new Fabricated();
    run.unknown(ONCE, 6);
    run.detail(ONCE, 4, 13, { client: 1 });
    expect(check(run.history, run.final)).toEqual([]);
  });

  it('allows a page to omit an asset that changed while the page was read', () => {
    const run = new Fabricated();
    run.change(ONCE, 'patch', 13);
    const page = run.page(14, instant(9), []);
    const after = run.change(ONCE, 'patch', 15);
    run.page(16, instant(9), [[ONCE, 15]]); // prettier-ignore
    run.final.listed.set(ONCE, {
      ...(run.final.listed.get(ONCE) as FinalAsset),
      us: after.us,
      content: after.content as Content,
    });
    run.final.details.delete(ONCE);
    expect(brokenIn(run)).toEqual([1, 7]);
    after.invoked = page.returned - 1;
    expect(brokenIn(run)).toEqual([]);
  });

  it.each(SPOILED)('reports that %s (%j)', (_, invariants, spoil) => {
    expect(broken(spoil)).toEqual(expect.arrayContaining(invariants));
  });

  it('has a spoiled run for every invariant', () => {
    const proven = new Set(SPOILED.flatMap(([, invariants]) => invariants));
    expect(INVARIANTS.map(([name]) => parseInt(name, 10)).filter((number) => !proven.has(number))).toEqual([]);
  });

  it('names the invariant, and reports the complaints of clients', () => {
    const { history, final } = new Fabricated();
    final.firstWriteMs = undefined;
    history.complain('GET was answered 500');
    expect(check(history, final)).toEqual([
      '15 liveness: no write succeeded after the last fault',
      'clients: GET was answered 500',
    ]);
  });
});
