import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { ApiError } from '../../platform/errors/api-error.js';
import { DataLoader } from './data-loader.js';

interface Statement {
  keys: readonly string[];
  answer: () => void;
  fail: (reason: Error) => void;
}

/** A loader whose statements the test answers; a value names its statement. Keys with an `x` have no value. */
function byHand(
  mostUnderWay: number,
  now?: () => number,
): { loader: DataLoader<string, string>; statements: Statement[] } {
  const statements: Statement[] = [];
  const fetch = (keys: readonly string[]): Promise<Map<string, string>> =>
    new Promise((resolve, reject) => {
      const number = statements.length;
      const rows = keys.filter((key) => !key.includes('x')).map((key) => [key, `${key} of ${number}`] as const);
      statements.push({ keys, answer: () => resolve(new Map(rows)), fail: reject });
    });
  return { loader: new DataLoader(fetch, { keys: 64, concurrent: mostUnderWay }, now), statements };
}

describe('concurrent loads', () => {
  it('share a statement without duplicate keys', async () => {
    const { loader, statements } = byHand(1);
    const answers = Promise.all(['a', 'b', 'a', 'x'].map((key) => loader.load(key)));
    await turn();
    expect(statements.map(({ keys }) => keys)).toEqual([['a', 'b', 'x']]);
    statements[0]?.answer();
    expect(await answers).toEqual(['a of 0', 'b of 0', 'a of 0', undefined]);
  });

  it('never join a statement that has begun, even for the same key', async () => {
    const { loader, statements } = byHand(1);
    const first = loader.load('a');
    await turn();
    const second = loader.load('a');
    await turn();
    expect(statements).toHaveLength(1);
    statements[0]?.answer();
    expect(await first).toBe('a of 0');
    await turn();
    statements[1]?.answer();
    expect(await second).toBe('a of 1');
  });

  it('run no more concurrent statements than allowed', async () => {
    const { loader, statements } = byHand(2);
    const answers: Promise<unknown>[] = [];
    for (const key of ['a', 'b', 'c', 'd']) {
      answers.push(loader.load(key));
      await turn();
    }
    expect(statements.map(({ keys }) => keys)).toEqual([['a'], ['b']]);
    statements[1]?.answer();
    await answers[1];
    await turn();
    expect(statements[2]?.keys).toEqual(['c', 'd']);
    for (const { answer } of statements) answer();
    expect(await Promise.all(answers)).toEqual(['a of 0', 'b of 1', 'c of 2', 'd of 2']);
  });

  it('fail together, without affecting later ones', async () => {
    const { loader, statements } = byHand(1);
    const failing = Promise.allSettled([loader.load('a'), loader.load('b')]);
    await turn();
    const next = loader.load('a');
    statements[0]?.fail(new Error('away'));
    for (const { status } of await failing) expect(status).toBe('rejected');
    await turn();
    statements[1]?.answer();
    expect(await next).toBe('a of 1');
  });

  it('are refused if they have waited too long; new ones are not', async () => {
    let nowMs = 0;
    const { loader, statements } = byHand(1, () => nowMs);
    const first = loader.load('a');
    await turn();
    const late = Promise.allSettled([loader.load('b'), loader.load('c')]);
    nowMs = 2_500;
    const justCome = [loader.load('b'), loader.load('d')];
    nowMs = 3_000;
    statements[0]?.answer();
    expect(await first).toBe('a of 0');
    await turn();
    expect(statements[1]?.keys).toEqual(['b', 'd']);
    expect((await late).map((one) => one.status === 'rejected' && (one.reason as ApiError).status)).toEqual([503, 503]);
    statements[1]?.answer();
    expect(await Promise.all(justCome)).toEqual(['b of 1', 'd of 1']);
  });
});
