import { Controller, Get, Headers, NotFoundException, Optional, Param, Req, Res } from '@nestjs/common';
import { PageAnswer, TaggedPage } from '../http/answer.js';
import { CalledBy, type Caller } from '../http/caller.js';
import { type RegistryRequest, type RegistryResponse, RequestQuery } from '../http/request.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import { isNoneMatch } from '../http/request-head.js';
import { RateLimits } from '../http/limits/rate-limits.js';
import { LogService } from '../log/log.service.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { aboutPage } from './about.page.js';
import { accessibilityPage } from './accessibility.page.js';
import { findPageFile, pageFile } from './page-files.js';
import { HTML_TYPE, htmlHeaders } from './page-headers.js';
import type { FeedQuery, PageQuery } from './page-query.js';
import { FeedQueryPipe, PageQueryPipe } from './page-query.pipe.js';
import { type Moment, PagesService } from './pages.service.js';
import { StatisticsPage } from './statistics.page.js';
import { isDay } from './times.js';
import { type PageContext, PageContextParam } from './page-context.js';

const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };
const FOR_A_DAY = { 'Cache-Control': 'public, max-age=86400' };
const ATOM_TYPE = 'application/atom+xml; charset=utf-8';

/** The pages for people. */
@Controller()
export class PagesController {
  constructor(
    private readonly pages: PagesService,
    private readonly statistics: StatisticsPage,
    private readonly time: RegistryTime,
    private readonly limits: RateLimits,
    @Optional() private readonly log?: LogService,
  ) {}

  @Get()
  async home(
    @RequestQuery(PageQueryPipe) query: PageQuery,
    @PageContextParam() context: PageContext,
    @CalledBy() caller: Caller,
  ): Promise<PageAnswer> {
    const { bytes, digest } = await caller.beforeDeadline(this.pages.home(query, context, caller));
    return page(bytes, context, digest);
  }

  @Get('assets/:name')
  async asset(
    @Param('name') name: string,
    @PageContextParam() context: PageContext,
    @CalledBy() caller: Caller,
  ): Promise<PageAnswer> {
    const moment = this.momentOf(context);
    const shown = await caller.beforeDeadline(this.pages.asset({ name, moment }, context, caller));
    // The page links back to its referrer.
    return new TaggedPage(shown, HTML_TYPE, { ...htmlHeaders(context), Vary: 'Accept, Accept-Language, Referer' });
  }

  /** The instant of `at`; the end of the day if `at` is a day. @throws ApiError 400 */
  private momentOf({ query }: PageContext): Moment | undefined {
    const at = QUERY_PARAMETERS.at.read(query, this.time);
    if (at === undefined || !isDay(at.text)) return at;
    return { us: this.time.parse(`${at.text}T23:59:59.999999`) ?? at.us, day: at.text };
  }

  @Get('assets/:name/history')
  async history(
    @Param('name') name: string,
    @PageContextParam() context: PageContext,
    @CalledBy() caller: Caller,
  ): Promise<PageAnswer> {
    const beforeUs = QUERY_PARAMETERS.offset.read(context.query, this.time)?.us;
    return page(await caller.beforeDeadline(this.pages.history({ name, beforeUs }, context, caller)), context);
  }

  @Get('statistics')
  async numbers(
    @RequestQuery(PageQueryPipe) query: PageQuery,
    @PageContextParam() context: PageContext,
    @CalledBy() caller: Caller,
  ): Promise<PageAnswer> {
    return page(await caller.beforeDeadline(this.statistics.show(query, context, caller)), context);
  }

  @Get('accessibility')
  accessibility(@PageContextParam() context: PageContext): PageAnswer {
    return page(Buffer.from(accessibilityPage(context)), context);
  }

  @Get('about')
  about(@PageContextParam() context: PageContext): PageAnswer {
    return page(Buffer.from(aboutPage(context, this.log !== undefined)), context);
  }

  @Get('changes.atom')
  async changes(
    @RequestQuery(FeedQueryPipe) query: FeedQuery,
    @PageContextParam() context: PageContext,
    @CalledBy() caller: Caller,
    @Headers('if-none-match') ifNoneMatch?: string,
  ): Promise<PageAnswer> {
    const known = await caller.beforeDeadline(this.pages.changesTag(query, context, caller));
    if (isNoneMatch(ifNoneMatch, known)) return atom(known, undefined);
    const { etag, bytes } = await caller.beforeDeadline(this.pages.changesFeed(query, context, caller));
    return atom(etag, bytes);
  }

  /** A program that verifies a proof of the log with Python and OpenSSL. */
  @Get('check-proof.py')
  checkProof(): PageAnswer {
    const { bytes, mediaType } = pageFile('check-proof.py');
    return new PageAnswer(200, bytes, mediaType, FOR_A_DAY);
  }

  @Get('pages/:file')
  file(
    @Param('file') name: string,
    @Req() request: RegistryRequest,
    @Res({ passthrough: true }) response: RegistryResponse,
  ): PageAnswer {
    const file = findPageFile(name);
    if (file === undefined) {
      // Only missing files count against the rate limit.
      this.limits.limitRead(request, response);
      throw new NotFoundException();
    }
    return new PageAnswer(200, file.bytes, file.mediaType, FOR_EVER);
  }
}

function page(body: Buffer, context: PageContext, digest?: string): PageAnswer {
  return new TaggedPage(body, HTML_TYPE, htmlHeaders(context), digest);
}

function atom(etag: string, bytes: Buffer | undefined): PageAnswer {
  // Weak, because each content coding has different bytes.
  const headers = { ETag: `W/${etag}`, Vary: 'Accept-Language' };
  return new PageAnswer(bytes === undefined ? 304 : 200, bytes, ATOM_TYPE, headers);
}
