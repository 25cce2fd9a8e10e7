import { beforeEach, describe, expect, it } from '@jest/globals';
import { SharedPages } from './shared-pages.js';

describe('shared pages', () => {
  let pages: SharedPages<number>;
  /** The readings that have begun, in their order; each ends when it is told. */
  let begun: { key: string; end: () => void; fail: () => void }[];

  beforeEach(() => {
    pages = new SharedPages();
    begun = [];
  });

  const read = (key: string): Promise<number> =>
    pages.read(
      key,
      () =>
        new Promise((resolve, reject) => {
          const number = begun.length + 1;
          begun.push({ key, end: () => resolve(number), fail: () => reject(new Error(`reading ${number}`)) });
        }),
    );
  const end = async (place: number): Promise<void> => {
    begun[place]?.end();
    await new Promise((resolve) => void setImmediate(resolve));
  };

  it('are read once for all who ask while another reading of the same is under way', async () => {
    const answers = [read('a'), read('a'), read('a')];
    await end(0);
    await end(1);
    expect(await Promise.all(answers)).toEqual([1, 2, 2]);
    expect(begun).toHaveLength(2);
  });

  it('are never older than the question', async () => {
    const first = read('a');
    const second = read('a');
    await end(0);
    expect(await first).toBe(1);
    const third = read('a');
    await end(1);
    expect(await second).toBe(2);
    await end(2);
    expect(await third).toBe(3);
  });

  it('do not wait for other pages', async () => {
    const answers = [read('a'), read('b')];
    expect(begun.map(({ key }) => key)).toEqual(['a', 'b']);
    await end(1);
    await end(0);
    expect(await Promise.all(answers)).toEqual([1, 2]);
  });

  it('fail for those who shared the reading, and for nobody else', async () => {
    const first = read('a');
    const second = read('a');
    begun[0]?.fail();
    await expect(first).rejects.toThrow('reading 1');
    await end(1);
    expect(await second).toBe(2);
    const third = read('a');
    await end(2);
    expect(await third).toBe(3);
  });
});
