import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, create, type Owned, publish } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { newFolder } from '../support/new-folder.js';
import { exchangeOne, head, type RawReply } from '../support/raw-socket.js';
import { servedRegistry } from '../support/served-registry.js';
import { until } from '../support/until.js';

/** So many that the list of the newest has a second page. */
const PUBLISHED = 25;

const HOST = 'Host: registry.example';
const CLOSE = 'Connection: close';

/** The home page says at which moment it was made. */
const lastingText = ({ text }: RawReply): string => text.replace(/<p class="note">.*/, '');

/** Header lines that well-known programs send with each GET and HEAD, besides Host and Connection. */
const AGENTS: Record<string, string[]> = {
  Googlebot: [
    'User-Agent: Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Accept: text/html,application/xhtml+xml,application/signed-exchange;v=b3,application/xml;q=0.9,*/*;q=0.8',
    'Accept-Encoding: gzip, deflate, br',
    'From: googlebot(at)googlebot.com',
  ],
  curl: ['User-Agent: curl/8.5.0', 'Accept: */*'],
  wget: ['User-Agent: Wget/1.21.4', 'Accept: */*', 'Accept-Encoding: identity'],
  'python-requests': ['User-Agent: python-requests/2.32.3', 'Accept-Encoding: gzip, deflate, br, zstd', 'Accept: */*'],
  'Go-http-client': ['User-Agent: Go-http-client/1.1', 'Accept-Encoding: gzip'],
  axios: [
    'Accept: application/json, text/plain, */*',
    'User-Agent: axios/1.7.9',
    'Accept-Encoding: gzip, compress, deflate, br',
  ],
  'net/http of Ruby': ['Accept-Encoding: gzip;q=1.0,deflate;q=0.6,identity;q=0.3', 'Accept: */*', 'User-Agent: Ruby'],
  'HttpURLConnection of Java': [
    'User-Agent: Java/17.0.15',
    'Accept: text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
  ],
  'HttpClient of .NET, which says nothing': [],
};

/** Headers of one answer only: the home page says when it was made, which does not always compress to the same length. */
const PASSING = ['date', 'x-request-id', 'content-length'];
const lasting = ({ headers }: RawReply): [string, string][] => [...headers].filter(([name]) => !PASSING.includes(name));

describe.each(embedded)('well-known programs on $name', (kind) => {
  const folder = newFolder();
  const registry = servedRegistry(kind, { SEARCH_INDEX: join(folder, 'index.sqlite') });
  let owned: Owned[];
  let draft: Owned;

  const send = (method: string, path: string, lines: readonly string[]): Promise<RawReply> =>
    exchangeOne(registry.url, head(`${method} ${path} HTTP/1.1`, HOST, CLOSE, ...lines));

  /** Sends a GET and another request for the same content; again if it has changed: on a busy machine a page says that the index is behind. */
  async function compare(
    path: string,
    lines: readonly string[],
    sendOther: (got: RawReply) => Promise<RawReply>,
  ): Promise<{ got: RawReply; other: RawReply }> {
    for (;;) {
      const got = await send('GET', path, lines);
      const other = await sendOther(got);
      const after = await send('GET', path, lines);
      if (after.headers.get('etag') === got.headers.get('etag')) return { got, other };
    }
  }

  beforeAll(async () => {
    owned = await Promise.all(Array.from({ length: PUBLISHED }, () => publish(registry)));
    draft = await create(registry);
    await until(async () => (await registry.send(`${ASSETS}/search`)).json.total === PUBLISHED);
  });

  describe.each(Object.entries(AGENTS))('%s', (_agent, lines) => {
    /** Paths with their media types. */
    const resources = (): [string, string][] => [
      [ASSETS, 'application/json'],
      [`${ASSETS}/${owned[0]?.id}`, 'application/json'],
      ['/', 'text/html; charset=utf-8'],
      [`/assets/${owned[0]?.asset.assetID}`, 'text/html; charset=utf-8'],
    ];

    it('reads pages as HTML and the API as JSON, and HEAD answers like GET without a body', async () => {
      for (const [path, mediaType] of resources()) {
        const { got, other: headed } = await compare(path, lines, () => send('HEAD', path, lines));
        expect([path, got.status, got.headers.get('content-type')]).toEqual([path, 200, mediaType]);
        expect([path, headed.status, headed.text, lasting(headed)]).toEqual([path, 200, '', lasting(got)]);
      }
    });

    it('gets 200 and the whole for Range or If-Modified-Since, and 304 for the ETag', async () => {
      for (const [path] of resources()) {
        for (const line of [
          'Range: bytes=10-',
          'Range: bytes=0-524287',
          'If-Modified-Since: Fri, 01 Jan 2090 00:00:00 GMT',
        ]) {
          const { got, other } = await compare(path, lines, () => send('GET', path, [...lines, line]));
          expect([path, line, other.status, lastingText(other)]).toEqual([path, line, 200, lastingText(got)]);
        }
        const { other: known } = await compare(path, lines, ({ headers }) =>
          send('GET', path, [...lines, `If-None-Match: ${headers.get('etag')}`]),
        );
        expect([path, known.status, known.text]).toEqual([path, 304, '']);
      }
    });
  });

  it.each([
    '*',
    'en;q=abc',
    ';;;',
    'q=1',
    '-',
    'en_US',
    'uk;q=0',
    'zh-Hant-TW',
    'i-klingon, x-pig-latin',
    'x'.repeat(100),
  ])('a page is shown for Accept-Language %j', async (language) => {
    const { status, headers } = await send('GET', '/', ['Accept: text/html', `Accept-Language: ${language}`]);
    expect([status, headers.get('content-language')]).toEqual([200, 'uk']);
  });

  it.each(['GET /health/live', 'HEAD /health/live', 'OPTIONS /'])(
    'a load balancer that speaks HTTP/1.0 without a Host is answered: %s',
    async (line) => {
      const { status, headers } = await exchangeOne(registry.url, head(`${line} HTTP/1.0`));
      expect([status, headers.get('connection')]).toEqual([line.startsWith('OPTIONS') ? 204 : 200, 'close']);
    },
  );

  describe('a spider that obeys robots.txt, nofollow and noindex', () => {
    /** Twice the number of pages; without nofollow the list’s filters alone are more. */
    const MAX_PAGES = 10 * PUBLISHED;
    /** Answers by path. */
    const found = new Map<string, RawReply>();

    beforeAll(async () => {
      const { text: robots } = await send('GET', '/robots.txt', AGENTS['Googlebot'] as string[]);
      const refused = robots.split('\n').flatMap((line) => /^Disallow: (.+)$/.exec(line)?.[1] ?? []);
      const patterns = refused.map((rule) => new RegExp(`^${rule.replaceAll('?', '\\?').replaceAll('*', '.*')}`));
      const left = ['/'];
      for (let path = left.pop(); path !== undefined && found.size < MAX_PAGES; path = left.pop()) {
        if (found.has(path) || patterns.some((pattern) => pattern.test(path as string))) continue;
        const reply = await send('GET', path, AGENTS['Googlebot'] as string[]);
        found.set(path, reply);
        if (reply.headers.get('content-type')?.startsWith('text/html')) left.push(...linksOf(reply.text));
      }
    });

    it('terminates, and finds no broken link', () => {
      expect(found.size).toBeLessThan(MAX_PAGES);
      expect([...found].filter(([, { status }]) => status !== 200).map(([path]) => path)).toEqual([]);
    });

    it('finds every published asset, and no draft', () => {
      const shown = [...found.keys()].filter((path) => /^\/assets\/UA-[\d-]+$/.test(path));
      expect(shown.toSorted()).toEqual(owned.map(({ asset }) => `/assets/${asset.assetID}`).toSorted());
      for (const { text } of found.values()) expect(text).not.toContain(draft.id);
    });
  });
});

/** The paths of this site that a page leads spiders to. */
function linksOf(html: string): string[] {
  if (html.includes('<meta name="robots" content="noindex" />')) return [];
  const tags = html.match(/<a\s[^>]*>/g) ?? [];
  const hrefs = tags
    .filter((tag) => !/\srel="[^"]*nofollow/.test(tag))
    .flatMap((tag) => /\shref="(\/[^"#]*)/.exec(tag)?.[1] ?? []);
  return hrefs.map((href) => href.replaceAll('&amp;', '&'));
}
