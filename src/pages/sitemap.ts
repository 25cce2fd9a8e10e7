import { Injectable, NotFoundException } from '@nestjs/common';
import { ListedByMonth } from '../feed/reading/listed-by-month.js';
import { malformedParameter } from '../platform/errors/errors.js';
import { type Requester, Semaphore } from '../platform/concurrency/semaphore.js';
import { Html, html } from './html.js';
import type { PageContext } from './page-context.js';
import { ShownTimes } from './times.js';

/** The format allows 50,000 URLs. */
const MAX_URLS = 10_000;
/** Parts rendered concurrently; each needs some megabytes. */
const MAX_AT_ONCE = 2;
const PAGES = 'pages';
/** A month, with the number of the part if it is not the first: `2026-11`, `2026-11.2`. */
const PART = /^((?:19|20)\d{2}-(?:0[1-9]|1[0-2]))(?:\.([2-9]|[1-9]\d{1,4}))?$/;

/** The addresses of all public pages for search engines, in parts by the month of the last change. Source: sitemaps.org, protocol 0.9. */
@Injectable()
export class Sitemap {
  private readonly partsAtOnce = new Semaphore(MAX_AT_ONCE);

  constructor(
    private readonly listed: ListedByMonth,
    private readonly times: ShownTimes,
  ) {}

  /** The sitemap index. @throws ApiError 503 */
  async index({ base }: PageContext): Promise<string> {
    const address = `${base}/sitemap.xml?part=`;
    const parts = [this.entry('sitemap', address + PAGES)];
    for (const { month, count, lastUs } of await this.listed.months()) {
      const names = Array.from({ length: Math.ceil(count / MAX_URLS) }, (_, i) =>
        i === 0 ? month : `${month}.${i + 1}`,
      );
      parts.push(...names.map((name) => this.entry('sitemap', address + name, lastUs)));
    }
    return documentOf('sitemapindex', parts);
  }

  /** A part of the sitemap. @throws ApiError 400, 503; NotFoundException if the part does not exist */
  part(name: string, context: PageContext, caller: Requester): Promise<string> {
    return this.partsAtOnce.run(async () => documentOf('urlset', await this.urlsOf(name, context)), caller);
  }

  private async urlsOf(name: string, { base, hasSearch }: PageContext): Promise<Html[]> {
    const start = this.entry('url', `${base}/`);
    if (name === PAGES) {
      const others = ['/about', '/accessibility', ...(hasSearch ? ['/statistics'] : [])];
      return [start, ...others.map((path) => this.entry('url', base + path))];
    }
    const [, month, number = '1'] = PART.exec(name) ?? [];
    if (month === undefined) throw malformedParameter('part', 'This has to be pages, or a month such as 2026-11');
    const assets = await this.listed.assets(month, { skip: (Number(number) - 1) * MAX_URLS, limit: MAX_URLS });
    if (assets.length === 0) throw new NotFoundException();
    const shown = assets.filter(({ status }) => status !== 'deleted');
    // The format requires at least one URL.
    if (shown.length === 0) return [start];
    return shown.map(({ assetId, changedUs }) => this.entry('url', `${base}/assets/${assetId}`, changedUs));
  }

  private entry(element: 'sitemap' | 'url', address: string, changedUs?: number): Html {
    const changed = changedUs !== undefined && html`<lastmod>${this.times.print(changedUs)}</lastmod>`;
    const inside = html`<loc>${address}</loc>${changed}`;
    return new Html(`<${element}>${inside.text}</${element}>\n`);
  }
}

function documentOf(root: 'sitemapindex' | 'urlset', entries: readonly Html[]): string {
  const beginning = `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n`;
  return `${beginning}${entries.map(({ text }) => text).join('')}</${root}>\n`;
}
