import { Injectable } from '@nestjs/common';
import Negotiator from 'negotiator';
import { AssetTypes } from '../asset-types/asset-types.js';
import type { ApiError } from '../platform/errors/api-error.js';
import { PageAnswer, writePage } from '../http/answer.js';
import type { ErrorRendering } from '../http/error-rendering.js';
import { isRead, type RegistryRequest, type RegistryResponse } from '../http/request.js';
import { targetOf } from '../http/request-target.js';
import { HTML_TYPE, htmlHeaders } from './page-headers.js';
import { FilterChoices } from './filter-choices.js';
import { problemPage, searchErrorsPage } from './problem.page.js';
import { SearchForm } from './search-form.js';
import { SearchInvalid } from './search-errors.js';
import { linkWithout, type PageContext, PageContextPipe } from './page-context.js';

/** Paths of the API and its documentation. */
const FOR_PROGRAMS = /^\/(?:api|docs|health)(?:\/|$)/;
/** Pages with a slash at the end of the path, which redirect. */
const PAGE_AND_SLASH = /^(\/(?:statistics|accessibility|about|assets\/[^/]+(?:\/history)?))\/+$/;

/** Renders errors as pages for clients that accept `text/html`, except on the paths of the API. */
@Injectable()
export class ErrorPages implements ErrorRendering {
  private readonly form: SearchForm;

  constructor(
    private readonly visits: PageContextPipe,
    types: AssetTypes,
  ) {
    this.form = new SearchForm(new FilterChoices(types));
  }

  render(request: RegistryRequest, response: RegistryResponse, error: ApiError): boolean {
    if (!isForPeople(request)) return false;
    const context = this.visits.transform(request);
    const there = error.status === 404 && isRead(request) ? withoutSlash(context) : undefined;
    if (there !== undefined) {
      writePage(response, new PageAnswer(301, undefined, '', { Location: there, Vary: 'Accept' }));
      return true;
    }
    const page = Buffer.from(this.show(error, context));
    writePage(response, new PageAnswer(error.status, page, HTML_TYPE, { ...htmlHeaders(context), ...error.headers }));
    return true;
  }

  private show(error: ApiError, context: PageContext): string {
    if (!(error instanceof SearchInvalid)) return problemPage(error, context);
    return context.hasSearch
      ? searchErrorsPage(error, this.form, context)
      : problemPage(error.errors[0] ?? error, context);
  }
}

/** The address without the slash at its end; undefined if it has none. */
function withoutSlash(context: PageContext): string | undefined {
  const [, path] = PAGE_AND_SLASH.exec(context.path) ?? [];
  return path === undefined ? undefined : linkWithout({ ...context, path }, []);
}

/** Whether the client accepts HTML by name, as browsers do; a client that accepts anything gets JSON. */
function isForPeople(request: RegistryRequest): boolean {
  if (FOR_PROGRAMS.test(targetOf(request).path)) return false;
  const [wanted] = new Negotiator(request).mediaTypes(['application/json', 'text/html']);
  return wanted === 'text/html';
}
