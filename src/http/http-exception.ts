import { STATUS_CODES } from 'node:http';
import type { HttpException } from '@nestjs/common';
import { ApiError, type Fault } from '../platform/errors/api-error.js';
import { truncate } from '../platform/text/truncate.js';
import type { RegistryRequest } from './request.js';

/** A description is a sentence or two; a module may have put a value of the client into it. */
const LONGEST_DESCRIPTION = 2_000;
/** What may be wrong with the body of a request that has one. */
const OF_BODY = new Set([400, 413, 422]);
/** The part of the head that is at fault, by the status. */
const NAMES: Readonly<Record<number, string>> = {
  401: 'Authorization',
  403: 'Authorization',
  404: 'path',
  415: 'Content-Type',
  429: 'rate_limit',
};
const FIRST_OF_SERVER = 500;

/**
 * The error body of an exception of Nest, with its status and its own text: one entry for each message. Nest does not say which part of a
 * request is at fault, so it is the body as a whole, or what the status is about.
 * @returns undefined where its status is none of an error
 */
export function ofHttpException(
  exception: HttpException,
  { body }: Pick<RegistryRequest, 'body'>,
): ApiError | undefined {
  const status = exception.getStatus();
  if (!Number.isInteger(status) || status < 400 || status > 599) return undefined;
  const place: Omit<Fault, 'description'> =
    body !== undefined && OF_BODY.has(status)
      ? { location: 'body', name: 'data' }
      : { location: 'header', name: nameOf(status) };
  const faults = messagesOf(exception, status).map((message): Fault => ({
    ...place,
    description: truncate(message.toWellFormed(), LONGEST_DESCRIPTION),
  }));
  return new ApiError(status, faults);
}

function nameOf(status: number): string {
  return NAMES[status] ?? (status >= FIRST_OF_SERVER ? 'server' : 'request');
}

/** At least one. The message of an error that an exception was made of is not for clients. */
function messagesOf(exception: HttpException, status: number): string[] {
  const response = exception.getResponse();
  if (response instanceof Error) return [STATUS_CODES[status] ?? 'Error'];
  const { message, error } = (typeof response === 'object' ? response : { message: response }) as Record<
    string,
    unknown
  >;
  const told = [message, error].map(textsOf).find((texts) => texts.length > 0);
  return told ?? [exception.message];
}

function textsOf(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((text): text is string => typeof text === 'string' && text !== '');
}
