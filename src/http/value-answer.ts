import { once } from 'node:events';
import { type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { StreamableFile } from '@nestjs/common';
import type { Express } from 'express';
import {
  Answer,
  REVALIDATE,
  COMMON_HEADERS,
  PageAnswer,
  StreamedAnswer,
  streamAnswer,
  writeAnswer,
  writePage,
} from './answer.js';
import type { RegistryResponse } from './request.js';
import { requestIdOf } from './request-head.js';

/*
 * Answers of modules that are not an Answer: values that handlers return, and writes to Express's response. All get the common headers.
 */

const STATUSES_WITHOUT_BODY = new Set([204, 205, 304]);
const JSON_TYPE = /^application\/json\b/;

/** Adds the common headers to Express's own answers, and makes its `json()` print as the registry does. */
export function adaptExpressResponse({ response }: Express): void {
  Object.assign(response, {
    writeHead(this: RegistryResponse, status: number, reason?: string, headers?: OutgoingHttpHeaders) {
      // An Answer passes its complete head, as a list.
      if (!Array.isArray(reason)) completeHead(this);
      // oxlint-disable-next-line typescript/unbound-method -- it is applied to the response
      return Reflect.apply(ServerResponse.prototype.writeHead, this, [status, reason, headers]);
    },
    json(this: RegistryResponse, value: unknown) {
      writeValue(this, value);
      return this;
    },
  });
}

/** Adds the common headers that the handler has not set. */
function completeHead(response: RegistryResponse): void {
  const head = { ...COMMON_HEADERS, ...REVALIDATE, 'X-Request-ID': requestIdOf(response.req) };
  for (const [name, value] of Object.entries(head)) if (!response.hasHeader(name)) response.setHeader(name, value);
  response.chargeWork?.(Number(response.getHeader('Content-Length') ?? 0));
  response.whenAnswered?.();
}

/**
 * Writes a value as JSON, with the status and headers that are set on the response. With a Content-Type, a string is sent unchanged; undefined
 * means no body.
 * @throws TypeError for a value that JSON cannot represent
 */
export function writeValue(response: RegistryResponse, value: unknown): void {
  const { statusCode } = response;
  const type = headerOf(response, 'Content-Type');
  const headers = setBefore(response, ['Cache-Control', 'Vary']);
  const isText = type !== undefined && typeof value === 'string';
  const text = isText ? value : (JSON.stringify(value) as string | undefined);
  if (text === undefined || STATUSES_WITHOUT_BODY.has(statusCode)) {
    response.removeHeader('Content-Type');
    writeAnswer(response, new Answer(statusCode, undefined, headers));
  } else if (type === undefined || JSON_TYPE.test(type)) writeAnswer(response, new Answer(statusCode, text, headers));
  else writePage(response, new PageAnswer(statusCode, Buffer.from(text), type, headers));
}

/** Sends a file of Nest once its first bytes are read, so that earlier failures can still be answered. @throws the stream's error */
export async function writeFile(response: RegistryResponse, file: StreamableFile): Promise<void> {
  const stream = file.getStream();
  const { type, disposition, length } = file.getHeaders();
  response.once('close', () => stream.destroy());
  if (stream.errored) throw stream.errored;
  if (!stream.readableEnded && stream.readableLength === 0) await once(stream, 'readable');
  const headers = setBefore(response, ['Cache-Control', 'Vary']);
  headers['Content-Type'] = headerOf(response, 'Content-Type') ?? type;
  if (disposition !== undefined) headers['Content-Disposition'] = String(disposition);
  // Text may be compressed, which changes its length.
  if (length !== undefined && !headers['Content-Type'].startsWith('text/')) headers['Content-Length'] = String(length);
  streamAnswer(response, new StreamedAnswer(response.statusCode, stream, headers));
}

function setBefore(response: RegistryResponse, names: readonly string[]): Record<string, string> {
  const found = names.map((name) => [name, headerOf(response, name)] as const);
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

function headerOf(response: RegistryResponse, name: string): string | undefined {
  const value = response.getHeader(name);
  return value === undefined ? undefined : String(value);
}
