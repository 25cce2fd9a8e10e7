import type { IncomingHttpHeaders } from 'node:http';
import type { ApiError } from '../errors/api-error.js';
import { bodyNotJson, dataMissing, tooManyValues, contentEncodingRefused, mediaTypeRefused } from '../errors/errors.js';
import { giveWay, LARGE_BYTES, runSteps, runStepsInTurns, TurnLimit } from '../event-loop/turns.js';
import { findJsonFault } from './json-fault.js';
import { JsonPieces, type ParsedJson } from './json-pieces.js';
import { countMembers, inspectJson, type JsonFindings } from './json-text.js';
import { type CanActivate, createParamDecorator, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { parse } from 'content-type';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { BodyRoom } from './body-room.js';
import { idle, type RegistryRequest, type RegistryResponse } from './exchange.js';
import { letGo, NO_BYTES, readBytes, WaitingBody } from './read-bytes.js';

/** A write's body. `data` is the asset's part, or a list of several; `access` is whatever stood under that name, not yet looked at. */
export interface Envelope {
  data: Record<string, unknown> | unknown[];
  access: unknown;
  /** None where nothing has to be made of them any more: a write may wait long, and they take as much memory as what was parsed. */
  bytes: Buffer;
  /** About how many bytes of memory it takes while it waits: a value takes more than its text where that is short. */
  held: number;
}

const BYTES_OF_A_VALUE = 64;

/** Bounds of a body. No valid asset comes near them; a body beyond would only cost time. */
const MOST = { depth: 16, members: 30_000, membersOfOne: 10_000, values: 100_000, inexactNumbers: 1_000 };
const NO_ENVELOPE: Envelope = { data: {}, access: undefined, bytes: NO_BYTES, held: 0 };
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What the body of a route is; without it: an object with one under `data`. */
type BodyForm = 'list of data' | 'object without data' | 'object or nothing';
export const HasBody = Reflector.createDecorator<BodyForm>();

/**
 * The envelope in `bytes`. Numbers that would not be kept exactly come out as NaN, which no field accepts.
 * Step by step: the bytes are read as text and looked through, then the text is parsed, a large one in pieces.
 * @throws ApiError 422 `data`
 */
export function* parseEnvelope(bytes: Buffer, form?: BodyForm): Generator<void, Envelope> {
  if (bytes.length === 0 && form === 'object or nothing') return NO_ENVELOPE;
  const { body, values } = yield* parseObject(bytes);
  const sent: unknown = Object.hasOwn(body, 'data') ? body['data'] : undefined;
  const data = dataOf(sent, form);
  const access = Object.hasOwn(body, 'access') ? body['access'] : undefined;
  return { data, access, bytes, held: Math.max(bytes.length, values * BYTES_OF_A_VALUE) };
}

/** @throws ApiError 422 `data` */
function dataOf(sent: unknown, form: BodyForm | undefined): Envelope['data'] {
  const isDue = form === undefined || form === 'list of data';
  if (form === 'list of data' ? Array.isArray(sent) : isObject(sent)) return sent as Envelope['data'];
  if (isDue) throw dataMissing(form && '{"data": [{...}]}');
  return {};
}

function* parseObject(bytes: Buffer): Generator<void, { body: Record<string, unknown>; values: number }> {
  const text = decode(bytes);
  const pieces = text.length > LARGE_BYTES ? new JsonPieces(text) : undefined;
  let parsed: ParsedJson | undefined;
  let findings: JsonFindings;
  try {
    findings = yield* inspectJson(text, MOST, pieces);
    yield;
    // A body beyond the bounds is not parsed at all.
    if (findings.depth <= MOST.depth && !hasTooMany(findings)) parsed = yield* parseJson(text, pieces);
  } catch {
    throw yield* refusalOf(text);
  }
  if (hasTooMany(findings)) throw tooManyValues();
  if (parsed === undefined) throw bodyNotJson(`it is nested deeper than ${MOST.depth}`);
  const { value, members } = parsed;
  if (!isObject(value)) throw bodyNotJson('it is JSON, but no object');
  if (members < findings.members) throw yield* refusalOf(text);
  for (const path of findings.inexactNumbers) replaceByNaN(value, path);
  return { body: value, values: findings.commas + findings.nested };
}

/** At once, or piece by piece where the scan has cut it. @throws SyntaxError */
function* parseJson(text: string, pieces?: JsonPieces): Generator<void, ParsedJson> {
  if (pieces?.areCut) return yield* pieces.parse();
  const value = JSON.parse(text) as unknown;
  yield;
  return { value, members: countMembers(value) };
}

function* refusalOf(text: string): Generator<void, ApiError> {
  yield;
  return bodyNotJson(yield* findJsonFault(text));
}

function decode(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw bodyNotJson('it is not UTF-8');
  }
}

function hasTooMany({ members, membersOfOne, commas, nested, inexactNumbers }: JsonFindings): boolean {
  const values = Math.max(commas, nested);
  const hasTooManyMembers = members > MOST.members || membersOfOne > MOST.membersOfOne;
  return hasTooManyMembers || values > MOST.values || inexactNumbers.length > MOST.inexactNumbers;
}

function replaceByNaN(root: object, path: (string | number)[]): void {
  const parent = path.slice(0, -1).reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], root);
  const key = path.at(-1) as string | number;
  if (typeof key === 'number') (parent as number[])[key] = NaN;
  // Not by assignment: a hostile key such as __proto__ would call a setter.
  else Object.defineProperty(parent, key, { value: NaN, enumerable: true, configurable: true, writable: true });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A write's body is JSON in UTF-8, not compressed. Source: contract section 8, the 415s. */
@Injectable()
export class MediaTypeGuard implements CanActivate {
  constructor(private readonly routes: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<RegistryRequest>();
    if (!isJson(headers['content-type'])) {
      const mayBeNone = this.routes.get(HasBody, context.getHandler()) === 'object or nothing';
      if (!mayBeNone || !mayBeEmpty(headers)) throw mediaTypeRefused();
    }
    const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
    if (encoding !== '' && encoding !== 'identity') throw contentEncodingRefused();
    return true;
  }
}

/** No word about a body. One in chunks may have none all the same: that is known when it was read. */
function mayBeEmpty({ 'content-type': type, 'content-length': length = '0' }: IncomingHttpHeaders): boolean {
  return type === undefined && Number(length) === 0;
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  try {
    const { type, parameters } = parse(contentType);
    const charset = parameters['charset'];
    return type === 'application/json' && (charset === undefined || charset.toLowerCase() === 'utf-8');
  } catch {
    return false;
  }
}

/** Bound of all bodies together that are held and not parsed yet. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Reads the body of a write. It is a guard because of its place: after the key (an unknown client's body is not read)
 * and before the owner token, which may stand in the body. It never says no: it throws 413, 415 or 422.
 */
@Injectable()
export class EnvelopeGuard implements CanActivate {
  private readonly room = new BodyRoom(MOST_BYTES);
  /** Large ones are parsed one after the other: a text, and what is made of it, take several times the memory of the bytes. */
  private readonly large = new TurnLimit(1);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly routes: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RegistryRequest>();
    const response = context.switchToHttp().getResponse<RegistryResponse>();
    request.envelope = await this.read(request, response, this.routes.get(HasBody, context.getHandler()));
    const mayBeRepeated = request.method === 'POST' && request.headers['idempotency-key'] !== undefined;
    if (!mayBeRepeated) letGo(takeBytes(request));
    return true;
  }

  /** Gives up the request's place while its body is on the way: slow clients would keep all others out. It counts as held until it is parsed. */
  private async read(request: RegistryRequest, response: RegistryResponse, form?: BodyForm): Promise<Envelope> {
    const { bodyLimit } = this.config;
    const { place } = request;
    if (request.complete || place === undefined)
      return this.parse(new WaitingBody(await readBytes(request, bodyLimit), response), request, form);
    const reservation = this.room.enter(place.party, () => void request.socket.destroy());
    response.whenOver.push(() => reservation.leave());
    try {
      const reading = readBytes(request, bodyLimit, (more) => reservation.grow(more));
      const body = await idle(
        request,
        reading.then((bytes) => new WaitingBody(bytes, response)),
      );
      return await this.parse(body, request, form);
    } finally {
      reservation.leave();
    }
  }

  /** @throws ApiError 415, 422 `data`, 503 where the client of a large one has gone meanwhile */
  private async parse(body: WaitingBody, { headers }: RegistryRequest, form?: BodyForm): Promise<Envelope> {
    if (body.length > 0 && headers['content-type'] === undefined) throw mediaTypeRefused();
    if (body.length <= LARGE_BYTES) return runSteps(parseEnvelope(body.take(), form));
    return this.large.run(() => parseInTurns(body.take(), form), body);
  }
}

/** Of a large one: its bytes are emptied where it is refused. */
async function parseInTurns(body: Buffer, form?: BodyForm): Promise<Envelope> {
  try {
    const envelope = await runStepsInTurns(parseEnvelope(body, form));
    // Then its fields are checked.
    await giveWay();
    return envelope;
  } catch (error) {
    letGo(body);
    throw error;
  }
}

/** The body that EnvelopeGuard read. */
export function envelopeOf(request: RegistryRequest): Envelope {
  const { envelope } = request;
  if (envelope === undefined) throw new Error('EnvelopeGuard is missing on this route');
  return envelope;
}

/** Its bytes, which are not kept. */
export function takeBytes(request: RegistryRequest): Buffer {
  const envelope = envelopeOf(request);
  request.envelope = { ...envelope, bytes: NO_BYTES };
  return envelope.bytes;
}

/** Handler parameter: the body that EnvelopeGuard read. */
export const SentBody = createParamDecorator((_: unknown, context: ExecutionContext) =>
  envelopeOf(context.switchToHttp().getRequest<RegistryRequest>()),
);

/** Handler parameter: what stands under `data` of the request's body, an object or a list. */
export const Data = createParamDecorator(
  (_: unknown, context: ExecutionContext) => envelopeOf(context.switchToHttp().getRequest<RegistryRequest>()).data,
);
