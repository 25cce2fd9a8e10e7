import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject, Optional } from '@nestjs/common';
import type { RegistryRequest, RegistryResponse } from './request.js';
import { Answer, writeAnswer } from './answer.js';
import { cutConnection } from './cut-connection.js';
import { logger, stackOf } from '../platform/logging/logger.js';
import { ERROR_RENDERING, type ErrorRendering } from './error-rendering.js';
import { fromHttpException } from './http-exception.js';
import { requestIdOf } from './request-head.js';
import { ApiError, UnavailableError } from '../platform/errors/api-error.js';
import { serverDefect } from '../platform/errors/errors.js';

/** Answers every thrown error with the error body, or with a page for browsers. */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  constructor(@Optional() @Inject(ERROR_RENDERING) private readonly rendering?: ErrorRendering) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<RegistryRequest>();
    const response = host.switchToHttp().getResponse<RegistryResponse>();
    const error = toApiError(thrown, request);
    if (error.status === 500 || (error.status > 500 && thrown instanceof HttpException)) logDefect(request, thrown);
    if (error instanceof UnavailableError) request.unavailable = error.reason;
    if (response.headersSent) {
      // The answer has begun, so an error can only be shown by cutting the connection.
      cutConnection(response.socket, 'an answer failed after it had begun');
      return;
    }
    if (this.isRendered(request, response, error)) return;
    writeAnswer(response, new Answer(error.status, error.body(), headersFor(request, error)));
  }

  /** Never throws, because nothing would catch it and the process would end. */
  private isRendered(request: RegistryRequest, response: RegistryResponse, error: ApiError): boolean {
    try {
      return this.rendering?.render(request, response, error) === true;
    } catch (defect) {
      logDefect(request, defect);
      return false;
    }
  }
}

function logDefect(request: RegistryRequest, thrown: unknown): void {
  logger.error({ requestId: requestIdOf(request), stack: stackOf(thrown) }, 'defect');
}

/** A Basic challenge makes a browser ask for a password, even for a script's request; a Bearer challenge does not. */
function headersFor({ headers }: RegistryRequest, error: ApiError): ApiError['headers'] {
  if (error.status !== 401 || headers['x-requested-with'] === undefined) return error.headers;
  return { ...error.headers, 'WWW-Authenticate': 'Bearer realm="registry"' };
}

function toApiError(thrown: unknown, request: RegistryRequest): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return (thrown instanceof HttpException ? fromHttpException(thrown, request) : undefined) ?? serverDefect();
}
