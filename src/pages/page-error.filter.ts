import { Catch } from '@nestjs/common';
import Negotiator from 'negotiator';
import type { ApiError } from '../errors/api-error.js';
import { ApiErrorFilter } from '../errors/api-error.filter.js';
import { PageAnswer, writePage } from '../http/answer.js';
import type { RegistryResponse } from '../http/exchange.js';
import { HTML_HEADERS, HTML_TYPE } from './page-headers.js';
import { problemPage } from './problem.page.js';
import { VisitPipe } from './visit.js';

/** Errors as a page for whoever asks for one; everybody else gets the error body, as everywhere. */
@Catch()
export class PageErrorFilter extends ApiErrorFilter {
  constructor(private readonly visits: VisitPipe) {
    super();
  }

  protected override write(response: RegistryResponse, error: ApiError): void {
    const { req } = response;
    // What accepts anything is no browser.
    const [wanted] = new Negotiator(req).mediaTypes(['application/json', 'text/html']);
    if (wanted !== 'text/html') {
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
