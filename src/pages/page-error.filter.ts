import { Catch } from '@nestjs/common';
import Negotiator from 'negotiator';
import type { ApiError } from '../errors/api-error.js';
import { ApiErrorFilter } from '../errors/api-error.filter.js';
import { PageAnswer, writePage } from '../http/answer.js';
import type { RegistryRequest, RegistryResponse } from '../http/exchange.js';
import { isPagePath } from '../http/page-paths.js';
import { targetOf } from '../http/request-target.js';
import { HTML_HEADERS, HTML_TYPE } from './page-headers.js';
import { problemPage } from './problem.page.js';
import { VisitPipe } from './visit.js';

/** The one filter with a page for people: whoever asks for HTML by name where pages are is told in a page. */
@Catch()
export class PageErrorFilter extends ApiErrorFilter {
  constructor(private readonly visits: VisitPipe) {
    super();
  }

  protected override write(response: RegistryResponse, error: ApiError): void {
    const { req } = response;
    if (!isForPeople(req)) {
      super.write(response, error);
      return;
    }
    const page = problemPage(error, this.visits.transform(req));
    writePage(
      response,
      new PageAnswer(error.status, Buffer.from(page), HTML_TYPE, { ...HTML_HEADERS, ...error.headers }),
    );
  }
}

/** What accepts anything is no browser. */
function isForPeople(request: RegistryRequest): boolean {
  if (!isPagePath(targetOf(request).path)) return false;
  const [wanted] = new Negotiator(request).mediaTypes(['application/json', 'text/html']);
  return wanted === 'text/html';
}
