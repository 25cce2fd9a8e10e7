import { beforeEach, describe, expect, it } from '@jest/globals';
import { FairQueue, type Queued } from './fair-queue.js';

const MB = 1024 * 1024;

interface Item extends Queued {
  name: string;
}

const item = (name: string, cost = 1_000, held = 1): Item => ({
  name,
  party: name[0] as string,
  changes: 1,
  cost,
  held,
});
/** One whose cost only its turn will tell. */
const unknown = (name: string): Item => ({ ...item(name), cost: undefined });

describe('a fair queue', () => {
  let queue: FairQueue<Item>;
  beforeEach(() => {
    queue = new FairQueue<Item>(MB);
  });

  const add = (...items: Item[]): void => items.forEach((one) => queue.add(one));
  /** The names of as many as are taken, whose turns cost what they were expected to. */
  const draw = (most = Infinity): string[] => {
    let left = most;
    const drawn = queue.draw(() => (left-- > 0 ? 'take' : 'end'));
    for (const one of drawn) queue.spend(one, one.cost ?? 0);
    return drawn.map(({ name }) => name);
  };

  it('keeps the order of one party', () => {
    add(item('a1'), item('a2'), item('a3'));
    expect(draw(2)).toEqual(['a1', 'a2']);
    expect(draw()).toEqual(['a3']);
    expect(draw()).toEqual([]);
  });

  it('takes turns between parties', () => {
    add(item('a1'), item('a2'), item('a3'), item('b1'), item('b2'), item('c1'));
    expect(draw()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('shares what turns cost, not their number', () => {
    add(...[1, 2, 3].map((i) => item(`a${i}`, MB)), ...[1, 2, 3, 4, 5].map((i) => item(`b${i}`)));
    expect(draw(6)).toEqual(['a1', 'b1', 'b2', 'b3', 'b4', 'b5']);
  });

  it('counts what a turn has cost where nobody knew before', () => {
    add(...[1, 2, 3].map((i) => unknown(`a${i}`)), ...[1, 2, 3].map((i) => item(`b${i}`, 100_000)));
    const [first] = queue.draw(({ name }) => (name === 'a1' ? 'take' : 'end')) as [Item];
    queue.spend(first, 250_000);
    expect(draw(3)).toEqual(['b1', 'b2', 'b3']);
  });

  it('expects of a party what its turns took lately', () => {
    const told: number[] = [];
    const drawOne = (cost: number): void => {
      add(unknown('a'));
      let first = true;
      const judge = (_: Item, expected: number): 'take' | 'end' => {
        if (!first) return 'end';
        first = false;
        told.push(expected);
        return 'take';
      };
      const [drawn] = queue.draw(judge) as [Item];
      queue.spend(drawn, cost);
    };
    for (const cost of [1_000, 1_000, 4 * MB, 1_000]) drawOne(cost);
    expect(told).toEqual([MB, MB / 2, MB / 4, 4 * MB]);
  });

  it('lets nobody save turns: who was away begins where the others are', () => {
    for (let i = 0; i < 20; i++) {
      add(item(`a${i}`, MB), item(`c${i}`, MB));
      draw();
    }
    add(...[1, 2, 3, 4].map((i) => item(`b${i}`, MB)), item('a', MB), item('c', MB));
    expect(draw(4)).toEqual(expect.arrayContaining(['a', 'c']));
  });

  it('forgets no debt while a party is away for a moment', () => {
    add(item('a1', 0), item('b1', 0));
    for (const one of queue.draw(() => 'take')) queue.spend(one, one.party === 'a' ? MB : 0);
    add(item('a2', 100_000), item('b2', 100_000), item('b3', 100_000));
    expect(draw()).toEqual(['b2', 'b3', 'a2']);
  });

  it('leaves what may not go, in its place', () => {
    add(item('a1'), item('a2'), item('a3'));
    const drawn = queue.draw(({ name }) => (name === 'a1' ? 'leave' : 'take'));
    expect(drawn.map(({ name }) => name)).toEqual(['a2', 'a3']);
    expect(draw()).toEqual(['a1']);
  });

  it('lets nobody save turns whose items all rest', () => {
    add(item('b0'));
    const drawUnlessB0 = (most: number): string[] => {
      let left = most;
      const drawn = queue.draw(({ name }) => (name === 'b0' ? 'rest' : left-- > 0 ? 'take' : 'end'));
      for (const one of drawn) queue.spend(one, one.cost ?? 0);
      return drawn.map(({ name }) => name);
    };
    for (let i = 0; i < 20; i++) {
      add(item(`a${i}`, MB), item(`c${i}`, MB));
      drawUnlessB0(2);
    }
    add(...[1, 2, 3, 4].map((i) => item(`b${i}`, MB)), item('a', MB), item('c', MB));
    expect(drawUnlessB0(4)).toEqual(expect.arrayContaining(['a', 'c']));
    expect(queue.of('b').count).toBe(3);
  });

  it('puts back before all others of a party', () => {
    add(...['a1', 'a2', 'b1', 'a3'].map((name) => item(name)));
    const drawn = queue.draw(({ name }) => (name === 'a3' ? 'end' : 'take'));
    queue.putBack(drawn);
    expect(draw()).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('counts what waits, of all and of each', () => {
    const gone = item('a2', 1, 20);
    add(item('a1', 1, 10), gone, item('b1', 1, 5));
    expect([queue.count, queue.held, queue.of('a'), queue.of('c')]).toEqual([
      3,
      35,
      { count: 2, held: 30 },
      { count: 0, held: 0 },
    ]);
    expect(queue.remove(gone)).toBe(true);
    expect(queue.remove(gone)).toBe(false);
    expect([queue.count, queue.held, queue.of('a')]).toEqual([2, 15, { count: 1, held: 10 }]);
    draw();
    expect([queue.count, queue.held]).toEqual([0, 0]);
  });
});
