import { beforeEach, describe, expect, it } from '@jest/globals';
import { FairQueue, type Queued } from './fair-queue.js';

const MB = 1024 * 1024;

interface Item extends Queued {
  name: string;
}

const item = (name: string, cost = 1_000, bytes = 1): Item => ({
  name,
  account: name[0] as string,
  changes: 1,
  cost,
  bytes,
});
describe('a fair queue', () => {
  let queue: FairQueue<Item>;
  beforeEach(() => {
    queue = new FairQueue<Item>(MB);
  });

  const add = (...items: Item[]): void => items.forEach((one) => queue.add(one));
  /** Draws items and charges their estimated costs. */
  const draw = (max = Infinity): string[] => {
    let left = max;
    const drawn = queue.draw(() => (left-- > 0 ? 'take' : 'stop'));
    for (const one of drawn) queue.charge(one, one.cost ?? 0);
    return drawn.map(({ name }) => name);
  };

  it('keeps the order of one account', () => {
    add(item('a1'), item('a2'), item('a3'));
    expect(draw(2)).toEqual(['a1', 'a2']);
    expect(draw()).toEqual(['a3']);
    expect(draw()).toEqual([]);
  });

  it('alternates between accounts', () => {
    add(item('a1'), item('a2'), item('a3'), item('b1'), item('b2'), item('c1'));
    expect(draw()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('shares by cost, not by number of items', () => {
    add(...[1, 2, 3].map((i) => item(`a${i}`, MB)), ...[1, 2, 3, 4, 5].map((i) => item(`b${i}`)));
    expect(draw(6)).toEqual(['a1', 'b1', 'b2', 'b3', 'b4', 'b5']);
  });

  it('gives an idle account no credit: it resumes at the others’ virtual time', () => {
    for (let i = 0; i < 20; i++) {
      add(item(`a${i}`, MB), item(`c${i}`, MB));
      draw();
    }
    add(...[1, 2, 3, 4].map((i) => item(`b${i}`, MB)), item('a', MB), item('c', MB));
    expect(draw(4)).toEqual(expect.arrayContaining(['a', 'c']));
  });

  it('keeps the position of a skipped item', () => {
    add(item('a1'), item('a2'), item('a3'));
    const drawn = queue.draw(({ name }) => (name === 'a1' ? 'skip' : 'take'));
    expect(drawn.map(({ name }) => name)).toEqual(['a2', 'a3']);
    expect(draw()).toEqual(['a1']);
  });

  it('puts items back before all others of their account', () => {
    add(...['a1', 'a2', 'b1', 'a3'].map((name) => item(name)));
    const drawn = queue.draw(({ name }) => (name === 'a3' ? 'stop' : 'take'));
    queue.putBack(drawn);
    expect(draw()).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('counts waiting items and their bytes', () => {
    const gone = item('a2', 1, 20);
    add(item('a1', 1, 10), gone, item('b1', 1, 5));
    expect([queue.count, queue.bytes]).toEqual([3, 35]);
    expect(queue.remove(gone)).toBe(true);
    expect(queue.remove(gone)).toBe(false);
    expect([queue.count, queue.bytes]).toEqual([2, 15]);
    draw();
    expect([queue.count, queue.bytes]).toEqual([0, 0]);
  });
});
