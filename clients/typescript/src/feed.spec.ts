import { describe, expect, it } from '@jest/globals';
import { EpochChanged, UnexpectedAnswer } from './errors.js';
import { followPages, type PageOptions } from './feed.js';
import { Page } from './page.js';

interface Answer {
  size: number;
  epoch?: string;
  backoff?: number;
}

/** Answers in a fixed sequence, and records the requests. */
class Script {
  readonly asked: string[] = [];
  readonly signals: AbortSignal[] = [];

  constructor(private readonly answers: (Answer | Error)[]) {}

  readonly page = async ({ offset = '', signal }: PageOptions & { signal: AbortSignal }): Promise<Page> => {
    this.asked.push(offset);
    this.signals.push(signal);
    const answer = this.answers[this.asked.length - 1] ?? { size: 0 };
    if (answer instanceof Error) throw answer;
    const { size, epoch = 'e', backoff } = answer;
    const data = Array.from({ length: size }, (_, i) => ({ id: `${i}`, dateModified: `${offset}+` }));
    const text = JSON.stringify({ next_page: { offset: `${offset}+` }, data });
    return new Page({
      status: 200,
      headers: { 'feed-epoch': epoch, ...(backoff && { backoff: String(backoff) }) },
      text,
    });
  };

  readonly pageAfter = (_: Page, options: PageOptions & { signal: AbortSignal }): Promise<Page> => this.page(options);
}

const OPTIONS = { from: 'a', limit: 2, signal: undefined };

async function sizes(pages: AsyncIterable<Page>): Promise<number[]> {
  const seen: number[] = [];
  for await (const { entries } of pages) seen.push(entries.length);
  return seen;
}

describe('the pages of the feed', () => {
  it('end with an error if a page links to itself', async () => {
    const page = new Page({
      status: 200,
      headers: {},
      text: '{"next_page":{"offset":"a"},"data":[{"id":"i","dateModified":"a"}]}',
    });
    const source = { page: async () => page, pageAfter: async () => page };
    await expect(sizes(followPages(source, OPTIONS))).rejects.toThrow(UnexpectedAnswer);
  });

  it.each(['99999999999', '1e400'])('pause for at most a day, even if the registry asks for %s s', (backoff) => {
    const empty = new Page({ status: 200, headers: { backoff }, text: '{"next_page":{"offset":""},"data":[]}' });
    expect(empty.backoffMs).toBe(86_400_000);
  });

  it('of another history are not yielded', async () => {
    const script = new Script([{ size: 2 }, { size: 1, epoch: 'f' }]);
    const pages = followPages(script, OPTIONS);
    await pages.next();
    await expect(pages.next()).rejects.toMatchObject({ name: 'EpochChanged', expected: 'e', found: 'f' });
    const known = followPages(new Script([{ size: 2 }]), { ...OPTIONS, epoch: 'd' });
    await expect(known.next()).rejects.toThrow(EpochChanged);
  });

  it('are not yielded after the signal, even if requested before', async () => {
    const [given, reason] = [new AbortController(), new Error('enough')];
    const pages = followPages(new Script([{ size: 2 }, { size: 2 }]), { ...OPTIONS, signal: given.signal });
    await pages.next();
    given.abort(reason);
    await expect(pages.next()).rejects.toBe(reason);
  });

  it('are aborted when the loop ends, also if their requests fail', async () => {
    const script = new Script([{ size: 2 }, new Error('not needed')]);
    for await (const page of followPages(script, OPTIONS)) {
      expect(page.entries).toHaveLength(2);
      break;
    }
    expect(script.signals[1]?.aborted).toBe(true);
  });
});
