import { Controller, Get, Inject, NotFoundException } from '@nestjs/common';
import { PageAnswer, TaggedPage } from '../http/answer.js';
import { CalledBy, type Caller } from '../http/caller.js';
import { CONFIG } from '../platform/config/config.module.js';
import type { Config } from '../platform/config/config.js';
import { repeatedParameter } from '../platform/errors/errors.js';
import { LANGUAGES } from './language.js';
import { type PageContext, PageContextParam } from './page-context.js';
import { pageFile } from './page-files.js';
import { Sitemap } from './sitemap.js';

const FOR_A_DAY = { 'Cache-Control': 'public, max-age=86400' };
const TEXT_TYPE = 'text/plain; charset=utf-8';
const DAY_MS = 86_400_000;
/** RFC 9116 recommends less than a year. */
const SECURITY_DAYS = 180;

/** Files that programs look for at fixed paths. */
@Controller()
export class SiteFilesController {
  constructor(
    private readonly sitemap: Sitemap,
    @Inject(CONFIG) private readonly config: Pick<Config, 'publisherContact' | 'securityContact'>,
  ) {}

  /** Rules for crawlers, and the address of the sitemap. */
  @Get('robots.txt')
  robots(@PageContextParam() { base }: PageContext): PageAnswer {
    const rules = pageFile('robots.txt').bytes.toString();
    return new PageAnswer(200, Buffer.from(`${rules}Sitemap: ${base}/sitemap.xml\n`), TEXT_TYPE, FOR_A_DAY);
  }

  @Get('sitemap.xml')
  async sitemapPart(@PageContextParam() context: PageContext, @CalledBy() caller: Caller): Promise<PageAnswer> {
    const [part, ...more] = context.query.all('part');
    if (more.length > 0) throw repeatedParameter('part');
    const work = part ? this.sitemap.part(part.value, context, caller) : this.sitemap.index(context);
    const text = await caller.beforeDeadline(work);
    return new TaggedPage(Buffer.from(text), 'application/xml; charset=utf-8', {});
  }

  /** Browsers request it at this path when they show anything but our HTML. */
  @Get('favicon.ico')
  favicon(): PageAnswer {
    const { bytes, mediaType } = pageFile('favicon.ico');
    return new PageAnswer(200, bytes, mediaType, FOR_A_DAY);
  }

  /** Contact for vulnerability reports. Source: RFC 9116. */
  @Get('.well-known/security.txt')
  security(@PageContextParam() { base }: PageContext): PageAnswer {
    const contact = this.config.securityContact ?? this.config.publisherContact;
    if (contact === undefined) throw new NotFoundException();
    const today = Math.floor(Date.now() / DAY_MS);
    const fields = {
      Contact: contact,
      Expires: new Date((today + SECURITY_DAYS) * DAY_MS).toISOString(),
      'Preferred-Languages': LANGUAGES.join(', '),
      Canonical: `${base}/.well-known/security.txt`,
    };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
    return new PageAnswer(200, Buffer.from(lines.join('')), TEXT_TYPE, FOR_A_DAY);
  }
}
