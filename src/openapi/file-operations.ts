import type { ResponseObject } from 'openapi3-ts/oas31';
import { headersOf, optional } from './headers.js';
import type { Operation } from './operation.js';
import { CSV_PARAMETER_NAMES } from './parameters.js';

const COLUMNS =
  'The first line has the names of the columns; lines end with CRLF, in UTF-8. A cell that a spreadsheet would run begins with an apostrophe';

/** Headers of a search as CSV, of a 304 too. */
const CSV_HEADERS = ['WeakETag', 'Feed-Offset', 'Truncated'];

/** The search as CSV. */
export function csvSearchResponse(): ResponseObject {
  return {
    description: `A line for each hit. ${COLUMNS}`,
    headers: { ...headersOf([...CSV_HEADERS, 'Content-Disposition']), ...optional(['Link']) },
    content: { 'text/csv; charset=utf-8': { schema: { type: 'string' } } },
  };
}

export function searchAsCsv(): Operation {
  return {
    id: 'searchAsCsv',
    summary:
      'The search as CSV: all hits, at most 100,000 or "limit" of them; "Link" leads to the next file. "facets" and "opt_fields" change nothing',
    parameters: [...CSV_PARAMETER_NAMES, 'bom', 'ifNoneMatch'],
    successes: {
      200: csvSearchResponse(),
      304: { description: 'Not modified', headers: { ...headersOf(CSV_HEADERS), ...optional(['Link']) } },
    },
    errors: ['unavailable'],
  };
}

export function sendSnapshot(): Operation {
  const lines =
    'JSON lines, compressed by gzip: `{"offset", "feed_epoch"}`, then every listed asset as a GET answers it, the oldest change first. ' +
    'Whoever has a part of it goes on in the feed from the dateModified of the last asset, whoever has all of it from `offset`';
  return { ...snapshot(lines), id: 'sendSnapshot', summary: 'Every listed asset, as they were at one moment' };
}

export function sendSnapshotAsCsv(): Operation {
  const operation = snapshot(`CSV, compressed by gzip: every listed asset, the oldest change first. ${COLUMNS}`);
  return {
    ...operation,
    id: 'sendSnapshotAsCsv',
    summary: 'Every listed asset, as they were at one moment, for spreadsheets',
    parameters: ['bom', ...operation.parameters],
  };
}

function snapshot(lines: string): Omit<Operation, 'id' | 'summary'> {
  const description = `${lines}. Without Content-Length where it is still being made: then it has no ranges yet`;
  const same = ['ETag', 'Feed-Offset', 'Feed-Epoch'];
  const headers = [...same, 'Accept-Ranges'];
  const content = { 'application/gzip': { schema: { contentMediaType: 'application/gzip' } } };
  return {
    parameters: ['ifNoneMatch', 'range', 'ifRange'],
    successes: {
      200: { description, headers: headersOf(headers), content },
      206: { description: 'A part of it', headers: headersOf([...headers, 'Content-Range']), content },
      304: { description: 'Not modified', headers: headersOf(same) },
    },
    errors: ['rangeBeyondEnd'],
  };
}
