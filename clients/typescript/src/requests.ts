import type { Asset } from './asset-types.js';
import type { Created, Digest, Transfer, Versioned } from './calls.js';
import type { Reply, Sent } from './connection.js';
import { type PageOptions, pageQuery } from './feed.js';
import { Page } from './page.js';
import { notARegistry, objectIn } from './read-answer.js';

/*
 * Requests of the API, and parsers of its answers.
 */

export const ASSETS = '/api/0.1/assets';
/** Path segments after `/api/`. */
const API_VERSIONS = ['0.1', '0'];
const DIGEST = /^[0-9a-f]{32}$/;
/** Time limit of a long poll in addition to the wait that the registry was asked for. */
const LONG_POLL_MARGIN_MS = 20_000;

export function baseOf(url: string): string {
  // The message does not repeat the address, which may contain a password.
  if (!URL.canParse(url)) throw new TypeError('The address of the registry is not a URL');
  const { protocol, username, password, origin, pathname } = new URL(url);
  if (!protocol.startsWith('http'))
    throw new TypeError('The address of the registry must begin with http:// or https://');
  if (username !== '' || password !== '') throw new TypeError('The address of the registry must not contain a key');
  return origin + withoutApi(pathname);
}

/** Users may copy the API's prefix with the address. */
function withoutApi(path: string): string {
  const names = path.split('/').filter((name) => name !== '');
  if (names.at(-1) === 'assets' && names.at(-3) === 'api') names.pop();
  if (names.at(-2) === 'api' && API_VERSIONS.includes(names.at(-1) as string)) names.splice(-2);
  return names.map((name) => `/${name}`).join('');
}

export function pageRequest(options: PageOptions & { signal?: AbortSignal | undefined }): Sent {
  return { method: 'GET', path: ASSETS, query: pageQuery(options), isRequired: true, signal: options.signal };
}

export function longPollRequest(options: Parameters<typeof pageRequest>[0], seconds: number): Sent {
  const request = pageRequest(options);
  const query = { ...request.query, wait: String(seconds) };
  return { ...request, query, answerMs: seconds * 1_000 + LONG_POLL_MARGIN_MS, isLongPoll: true };
}

export function pageOf(reply: Reply): Page {
  return new Page(reply);
}

export function pathOf(id: string): string {
  return `${ASSETS}/${encodeURIComponent(id)}`;
}

export function versioned(reply: Reply): Versioned {
  return { asset: (objectIn(reply.text) as { data: Asset }).data, etag: etagOf(reply) };
}

export function withToken(reply: Reply): Created {
  const { token } = (objectIn(reply.text) as { access: { token: string } }).access;
  return { ...versioned(reply), token };
}

export function etagOf({ headers }: Reply): string {
  return String(headers['etag'] ?? '');
}

export function assetsOf({ text }: Reply): Asset[] {
  return (objectIn(text) as { data: Asset[] }).data;
}

export function transferOf({ text }: Reply): Transfer {
  const { access, data } = objectIn(text) as { access: { transfer: string }; data: { expires: string } };
  return { code: access.transfer, expires: data.expires };
}

export function digestOf({ text, headers }: Reply): Digest {
  const { data } = objectIn(text) as { data: Omit<Digest, 'epoch'> };
  const { count, digest } = Object(data) as Partial<Digest>;
  if (!Number.isSafeInteger(count) || !DIGEST.test(String(digest))) throw notARegistry(text);
  return { ...data, epoch: String(headers['feed-epoch'] ?? '') };
}

/** The same write as a dry run. */
export function dryRunOf(sent: Sent): Sent {
  return { ...sent, query: { dry_run: '1' } };
}

/** @returns the asset or assets as they would be @throws Error if the registry is too old for dry runs */
export function dryRunResult<As>({ text, headers }: Reply): As {
  if (headers['dry-run'] !== '1') throw new Error('This registry does not support dry runs: it has made the write');
  return (objectIn(text) as { data: As }).data;
}
