import type { JsonObject } from '../support/assets.js';
import type { RawReply } from '../support/raw-socket.js';

/** 408 is among them for what never comes whole, 503 is not: nothing is wrong with the database. */
const STATUSES = new Set([200, 201, 204, 304, 400, 401, 403, 404, 408, 412, 413, 415, 417, 422, 431]);
const BODILESS = new Set([204, 304]);
const INSIDES =
  /\n\s+at |node_modules|node:internal|\.[tj]s\b|\/(?:src|dist|tmp)\/|SQLITE|QueryFailed|SELECT .* FROM|UPDATE .* SET/;
const MAX_FAULTS = 20;
const MAX_NAME = 128;

/** Violations of the contract in an answer to any request. */
export function faultsOfReply(reply: RawReply, isHead: boolean): string[] {
  const { status, headers, text } = reply;
  if (status === 100) return [];
  if (!STATUSES.has(status)) return [`status ${status}`];
  const faults: string[] = [];
  const expectHeader = (name: string, value: string): void => {
    if (headers.get(name) !== value) faults.push(`${name}: ${headers.get(name)}`);
  };
  expectHeader('x-content-type-options', 'nosniff');
  expectHeader('access-control-allow-origin', '*');
  if (!/^[A-Za-z0-9._:-]{1,128}$/.test(headers.get('x-request-id') ?? '')) faults.push('no X-Request-ID');
  if (isHead || BODILESS.has(status)) return text === '' ? faults : [...faults, 'a body where none may be'];
  // The request is unknown here; other tests check which paths answer HTML.
  const isForPeople = text.startsWith('<!doctype html>');
  expectHeader('content-type', isForPeople ? 'text/html; charset=utf-8' : 'application/json');
  // A compressed answer's Content-Length counts compressed bytes, which the reader has checked.
  if (!headers.has('content-encoding')) expectHeader('content-length', String(Buffer.byteLength(text)));
  if (isForPeople) return faults;
  if (typeof reply.json !== 'object' || reply.json === null) return [...faults, 'the body is no JSON object'];
  return status < 400 ? faults : [...faults, ...faultsOfEnvelope(reply.json as JsonObject, text)];
}

function faultsOfEnvelope(body: JsonObject, text: string): string[] {
  const { status, errors, ...others } = body;
  const outside: string[] = [];
  if (status !== 'error' || Object.keys(others).length > 0) outside.push('another member than status and errors');
  if (!Array.isArray(errors) || errors.length < 1 || errors.length > MAX_FAULTS)
    return [...outside, 'errors is no list of 1 to 20'];
  for (const error of errors as JsonObject[]) {
    const { location, name, description, ...rest } = error;
    if (Object.keys(rest).length > 0) outside.push('an entry has another member');
    if (location !== 'header' && location !== 'body') outside.push(`location ${String(location)}`);
    if (typeof name !== 'string' || name.length < 1 || name.length > MAX_NAME) outside.push('an invalid name');
    if (typeof description !== 'string' || description === '') outside.push('an invalid description');
    // Names may echo the client; the service's own text must not reveal internals.
    if (INSIDES.test(String(description))) outside.push(`the insides of the service: ${String(description)}`);
  }
  return text.includes('\n    at ') ? [...outside, 'a stack'] : outside;
}

interface Page {
  next_page: JsonObject;
  prev_page?: JsonObject;
  data: JsonObject[];
}

/** Violations in a page of the listing. */
export function faultsOfPage(page: Page): string[] {
  const faults: string[] = [];
  const times = page.data.map(({ dateModified }) => String(dateModified));
  // In one time zone without a clock change, text order is time order.
  const steps = new Set(
    times.slice(1).map((time, i) => Math.sign(time < (times[i] as string) ? -1 : time > (times[i] as string) ? 1 : 0)),
  );
  if (steps.size > 1 || steps.has(0)) faults.push('entries out of order');
  if (page.data.some(({ status }) => status === 'draft')) faults.push('a draft is listed');
  for (const link of [page.next_page, page.prev_page]) {
    if (link !== undefined && Object.keys(link).join() !== 'offset,path,uri') faults.push('a link with other members');
  }
  return faults;
}

/** Violations in the answer to a successful PATCH: only sent fields may have changed. */
export function faultsOfChange(before: JsonObject, after: JsonObject, sent: string[]): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const allowed = changed.length === 1 ? sent : [...sent, 'dateModified'];
  return changed.filter((name) => !allowed.includes(name)).map((name) => `${name} changed without being sent`);
}

/** Differences between the answer to a dry run and that to the following write. */
export function faultsOfDryRun(dryRun: RawReply, written: RawReply): string[] {
  const isAsWritten =
    written.status >= 400
      ? dryRun.status === written.status && dryRun.text === written.text
      : dryRun.status === 200 && storedPart(dryRun) === storedPart(written);
  return isAsWritten ? [] : [`a dry run answered ${dryRun.status} ${dryRun.text}`];
}

/** The answered data without values that only a write gives. */
function storedPart({ json }: RawReply): string {
  const given = new Set(['id', 'assetID', 'date', 'dateModified']);
  const { data } = json as { data: JsonObject | JsonObject[] };
  const stored = [data].flat().map((asset) => Object.entries(asset).filter(([name]) => !given.has(name)));
  return JSON.stringify(stored);
}
