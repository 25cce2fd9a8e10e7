import example from '../../src/asset-types/basic/basic.example.json' with { type: 'json' };
import { ASSETS, type JsonObject, LOT } from '../support/assets.js';
import type { Random } from '../support/random.js';
import { basic } from '../support/registry.js';
import { mutateBody } from './mutations.js';
import { HEADER_LINES, IDS, METHODS, PATHS, QUERY_NAMES, QUERY_VALUES } from './words.js';

/** A request before it is bytes. */
export interface FuzzRequest {
  method: string;
  /** Path and query. */
  target: string;
  /** Header fields, one line each, beside Host and Content-Length. */
  lines: string[];
  body?: string;
  /** The request's asset, if it is one of the story. */
  asset?: KnownAsset;
}

/** An asset that a story has made, as it was answered last. */
export interface KnownAsset {
  id: string;
  token: string;
  /** The transfer code that was given out for it last. */
  code?: string;
  /** JSON text. */
  data: string;
  etag: string;
}

/** Knowledge from earlier answers of a story. */
export interface Known {
  assets: KnownAsset[];
  /** Paths of next_page and prev_page. */
  links: string[];
}

const KEYS = ['broker', 'broker', 'broker', 'broker', 'broker2', 'concierge', 'administrator', 'unknown', ''];
const STATUSES = ['draft', 'pending', 'pending', 'pending', 'active', 'complete', 'deleted', 'x'];
const FEW = 0.15;

/** The next request of a story: sound in most of its parts, so that it comes to the later checks too. */
export function nextRequest(known: Known, random: Random): FuzzRequest {
  const makers = [createRequest, createRequest, listRequest, otherRequest];
  if (known.assets.length > 0)
    makers.push(
      patchRequest,
      patchRequest,
      patchRequest,
      moveRequest,
      moveRequest,
      readRequest,
      handoverRequest,
      groupRequest,
    );
  const request = random.pick(makers)(known, random);
  if (random.chance(FEW)) request.lines.push(random.pick(HEADER_LINES));
  if (random.chance(FEW / 3)) request.method = random.pick(METHODS);
  if (random.chance(FEW)) request.target = withParameter(request.target, random);
  return request;
}

/** @returns the bytes, with a length that is right */
export function bytesOf({ method, target, lines, body }: FuzzRequest): Buffer {
  const content = Buffer.from(body ?? '', 'utf8');
  const length = body === undefined ? [] : [`Content-Length: ${content.length}`];
  const head = [`${method} ${target} HTTP/1.1`, 'Host: registry.example', ...lines, ...length].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), content]);
}

/** Whether it is a write that accepts `dry_run`. */
export function mayDryRun({ method, target, lines }: FuzzRequest): boolean {
  const isOther = /dry|\/(?:transfer|ownership)/i.test(target) || lines.some((line) => /^idempotency-key/i.test(line));
  return (method === 'POST' || method === 'PATCH') && !isOther;
}

export function dryRunOf(request: FuzzRequest): FuzzRequest {
  const { target } = request;
  return { ...request, target: `${target}${target.includes('?') ? '&' : '?'}dry_run=1` };
}

function createRequest(_known: Known, random: Random): FuzzRequest {
  const sound = { data: example.data } as JsonObject;
  const body = random.chance(0.5) ? JSON.stringify(sound) : mutateBody(sound, random);
  const lines = writeLines(random);
  if (random.chance(FEW)) lines.push(`Idempotency-Key: ${random.int(0, 1e9)}`);
  return { method: 'POST', target: ASSETS, lines, body };
}

function patchRequest(known: Known, random: Random): FuzzRequest {
  const whole = JSON.parse(random.pick(known.assets).data) as JsonObject;
  const names = Object.keys(whole);
  const part = random.chance(0.2)
    ? whole
    : Object.fromEntries([1, 2].map(() => random.pick(names)).map((name) => [name, whole[name]]));
  const body = random.chance(0.3) ? JSON.stringify({ data: part }) : mutateBody({ data: part }, random);
  return patchOf(random.pick(known.assets), body, random);
}

function moveRequest(known: Known, random: Random): FuzzRequest {
  const lot = random.pick([undefined, LOT, LOT, null]);
  return patchOf(
    random.pick(known.assets),
    JSON.stringify({ data: { status: random.pick(STATUSES), relatedLot: lot } }),
    random,
  );
}

/** Changes several assets as one: some of the story's, perhaps one of them twice, or an unknown one. */
function groupRequest(known: Known, random: Random): FuzzRequest {
  const ids = Array.from({ length: random.int(1, 4) }, () => random.pick(known.assets).id);
  if (random.chance(FEW)) ids.push(random.pick(IDS));
  const members = ids.map((id) => ({ id, status: random.pick(STATUSES), relatedLot: LOT }));
  const sound = { data: random.chance(0.5) ? members : members.slice(0, 1) } as JsonObject;
  const body = random.chance(0.7) ? JSON.stringify(sound) : mutateBody(sound, random);
  return { method: 'PATCH', target: ASSETS, lines: writeLines(random), body };
}

function patchOf(asset: KnownAsset, body: string, random: Random): FuzzRequest {
  const lines = writeLines(random);
  const token = random.chance(0.85) ? asset.token : random.pick(['', 'x', '0'.repeat(32), 'a'.repeat(64)]);
  const inQuery = random.chance(0.3);
  if (!inQuery) lines.push(`X-Access-Token: ${token}`);
  if (random.chance(FEW)) lines.push(`If-Match: ${random.pick([asset.etag, '*', '"0"', `"0", ${asset.etag}`])}`);
  return {
    method: 'PATCH',
    target: `${ASSETS}/${asset.id}${inQuery ? `?acc_token=${token}` : ''}`,
    lines,
    body,
    asset,
  };
}

/** Asks for a transfer code, or takes an asset over, perhaps with the right one. */
function handoverRequest(known: Known, random: Random): FuzzRequest {
  const asset = random.pick(known.assets);
  const target = `${ASSETS}/${asset.id}/${random.pick(['transfer', 'ownership'])}`;
  const code = random.chance(0.8) ? (asset.code ?? 'x') : random.pick(['', '0'.repeat(32), asset.token]);
  const sound = { access: { transfer: code, token: asset.token } };
  const body = random.chance(0.7) ? JSON.stringify(sound) : mutateBody(sound, random);
  return { method: 'POST', target, lines: writeLines(random), body, asset };
}

function writeLines(random: Random): string[] {
  const lines = random.chance(0.95) ? ['Content-Type: application/json'] : [];
  const key = random.pick(KEYS);
  if (key !== '') lines.push(`Authorization: ${random.chance(0.2) ? `Bearer ${key}` : basic(key)}`);
  return lines;
}

function readRequest(known: Known, random: Random): FuzzRequest {
  const asset = random.pick(known.assets);
  if (random.chance(FEW)) return { method: 'GET', target: `${ASSETS}/${random.pick(IDS)}`, lines: [] };
  const lines = random.chance(0.3) ? [`If-None-Match: ${asset.etag}`] : [];
  return { method: random.pick(['GET', 'GET', 'HEAD']), target: `${ASSETS}/${asset.id}`, lines, asset };
}

function listRequest(known: Known, random: Random): FuzzRequest {
  const follows = known.links.length > 0 && random.chance(0.5);
  const target = follows ? random.pick(known.links) : withParameter(random.pick([ASSETS, '/api/0/assets']), random);
  // Whole pages are for the service's other measurements.
  const short = target.includes('limit=')
    ? target
    : `${target}${target.includes('?') ? '&' : '?'}limit=${random.int(1, 20)}`;
  return { method: random.pick(['GET', 'GET', 'GET', 'HEAD', 'OPTIONS']), target: short, lines: [] };
}

function otherRequest(_known: Known, random: Random): FuzzRequest {
  const request: FuzzRequest = { method: random.pick(METHODS), target: random.pick(PATHS), lines: [] };
  return random.chance(0.3) ? { ...request, body: random.pick(['', '{}', '{"data":{}}', 'x'.repeat(100)]) } : request;
}

function withParameter(target: string, random: Random): string {
  const parameter = `${random.pick(QUERY_NAMES)}${random.pick(['=', '=', '=', '', '=='])}${random.pick(QUERY_VALUES)}`;
  return `${target}${target.includes('?') ? '&' : '?'}${parameter}`;
}
