import { STATUS_CODES } from 'node:http';
import type { HttpException } from '@nestjs/common';
import { ApiError, type Fault } from '../platform/errors/api-error.js';
import { truncate } from '../platform/text/truncate.js';
import type { RegistryRequest } from './request.js';

/** Longer descriptions are cut: a module may have put a value from the client into them. */
const MAX_DESCRIPTION = 2_000;
/** Statuses that blame the body, if the request has one. */
const BODY_STATUSES = new Set([400, 413, 422]);
/** The faulty part of the request head, by status. */
const NAMES: Readonly<Record<number, string>> = {
  401: 'Authorization',
  403: 'Authorization',
  404: 'path',
  415: 'Content-Type',
  429: 'rate_limit',
};
const FIRST_SERVER_ERROR = 500;

/**
 * Converts an exception of Nest: the same status, and one fault for each message. Nest does not say which part of the request is at fault,
 * so the faults name the whole body, or the part of the head that the status suggests.
 * @returns undefined if its status is not that of an error
 */
export function fromHttpException(
  exception: HttpException,
  { body }: Pick<RegistryRequest, 'body'>,
): ApiError | undefined {
  const status = exception.getStatus();
  if (!Number.isInteger(status) || status < 400 || status > 599) return undefined;
  const source: Omit<Fault, 'description'> =
    body !== undefined && BODY_STATUSES.has(status)
      ? { location: 'body', name: 'data' }
      : { location: 'header', name: nameOf(status) };
  const faults = messagesOf(exception, status).map((message): Fault => ({
    ...source,
    description: truncate(message.toWellFormed(), MAX_DESCRIPTION),
  }));
  return new ApiError(status, faults);
}

function nameOf(status: number): string {
  return NAMES[status] ?? (status >= FIRST_SERVER_ERROR ? 'server' : 'request');
}

/** Returns at least one message. That of a wrapped Error is internal, so clients do not see it. */
function messagesOf(exception: HttpException, status: number): string[] {
  const response = exception.getResponse();
  if (response instanceof Error) return [STATUS_CODES[status] ?? 'Error'];
  const { message, error } = (typeof response === 'object' ? response : { message: response }) as Record<
    string,
    unknown
  >;
  const messages = [message, error].map(textsOf).find((texts) => texts.length > 0);
  return messages ?? [exception.message];
}

function textsOf(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((text): text is string => typeof text === 'string' && text !== '');
}
