import { Injectable } from '@nestjs/common';
import Negotiator from 'negotiator';
import type { ApiError } from '../errors/api-error.js';
import { PageAnswer, writePage } from '../http/answer.js';
import type { ErrorRendering } from '../http/error-rendering.js';
import type { RegistryRequest, RegistryResponse } from '../http/exchange.js';
import { isPagePath } from '../http/page-paths.js';
import { targetOf } from '../http/request-head.js';
import { HTML_HEADERS, HTML_TYPE } from './page-headers.js';
import { problemPage } from './problem.page.js';
import { VisitPipe } from './visit.js';

/** Whoever asks for HTML by name where pages are is told of an error in a page. */
@Injectable()
export class ErrorPages implements ErrorRendering {
  constructor(private readonly visits: VisitPipe) {}

  render(request: RegistryRequest, response: RegistryResponse, error: ApiError): boolean {
    if (!isForPeople(request)) return false;
    const page = Buffer.from(problemPage(error, this.visits.transform(request)));
    writePage(response, new PageAnswer(error.status, page, HTML_TYPE, { ...HTML_HEADERS, ...error.headers }));
    return true;
  }
}

/** What accepts anything is no browser. */
function isForPeople(request: RegistryRequest): boolean {
  if (!isPagePath(targetOf(request).path)) return false;
  const [wanted] = new Negotiator(request).mediaTypes(['application/json', 'text/html']);
  return wanted === 'text/html';
}
