import { Injectable } from '@nestjs/common';
import Negotiator from 'negotiator';
import { AssetTypes } from '../asset-types/asset-types.js';
import type { ApiError } from '../errors/api-error.js';
import { PageAnswer, writePage } from '../http/answer.js';
import type { ErrorRendering } from '../http/error-rendering.js';
import { isRead, type RegistryRequest, type RegistryResponse } from '../http/request.js';
import { targetOf } from '../http/target.js';
import { HTML_TYPE, htmlHeaders } from './page-headers.js';
import { ListedChoices } from './listed-choices.js';
import { problemPage } from './problem.page.js';
import { SearchForm } from './search-form.js';
import { SearchRefused } from './search-refused.js';
import { searchRefusedPage } from './search-refused.page.js';
import { linkWithout, type Visit, VisitPipe } from './visit.js';

/** Paths that are for programs, and their descriptions. */
const FOR_PROGRAMS = /^\/(?:api|docs|health)(?:\/|$)/;
/** Some type it, and some programs add it to links. */
const PAGE_AND_SLASH = /^(\/(?:statistics|accessibility|assets\/[^/]+))\/+$/;

/** Whoever asks for HTML by name outside of these paths is told of an error in a page: people type any address. */
@Injectable()
export class ErrorPages implements ErrorRendering {
  private readonly form: SearchForm;

  constructor(
    private readonly visits: VisitPipe,
    types: AssetTypes,
  ) {
    this.form = new SearchForm(new ListedChoices(types));
  }

  render(request: RegistryRequest, response: RegistryResponse, error: ApiError): boolean {
    if (!isForPeople(request)) return false;
    const visit = this.visits.transform(request);
    const there = error.status === 404 && isRead(request) ? withoutSlash(visit) : undefined;
    if (there !== undefined) {
      writePage(response, new PageAnswer(301, undefined, '', { Location: there, Vary: 'Accept' }));
      return true;
    }
    const page = Buffer.from(this.show(error, visit));
    writePage(response, new PageAnswer(error.status, page, HTML_TYPE, { ...htmlHeaders(visit), ...error.headers }));
    return true;
  }

  private show(error: ApiError, visit: Visit): string {
    if (!(error instanceof SearchRefused)) return problemPage(error, visit);
    return visit.hasSearch ? searchRefusedPage(error, this.form, visit) : problemPage(error.errors[0] ?? error, visit);
  }
}

/** The page that has the address without the slash at its end. */
function withoutSlash(visit: Visit): string | undefined {
  const [, path] = PAGE_AND_SLASH.exec(visit.path) ?? [];
  return path === undefined ? undefined : linkWithout({ ...visit, path }, []);
}

/** What accepts anything is no browser. */
function isForPeople(request: RegistryRequest): boolean {
  if (FOR_PROGRAMS.test(targetOf(request).path)) return false;
  const [wanted] = new Negotiator(request).mediaTypes(['application/json', 'text/html']);
  return wanted === 'text/html';
}
