import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import type { RegistryRequest, RegistryResponse } from '../http/exchange.js';
import { Answer, writeAnswer } from '../http/answer.js';
import { logger, stackOf } from '../operations/logger.js';
import { requestIdOf } from '../http/request-id.js';
import { ApiError } from './api-error.js';
import { actionNotFound, serverDefect } from './errors.js';

/** The one exit for everything that is thrown: it writes the error body and nothing else. */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<RegistryRequest>();
    const response = host.switchToHttp().getResponse<RegistryResponse>();
    const error = toApiError(thrown);
    if (error.status === 500) logger.error({ requestId: requestIdOf(request), stack: stackOf(thrown) }, 'defect');
    if (response.headersSent) {
      // An answer has begun: a second one cannot follow on this connection.
      response.destroy();
      return;
    }
    this.write(response, error);
  }

  protected write(response: RegistryResponse, error: ApiError): void {
    writeAnswer(response, new Answer(error.status, error.body(), error.headers));
  }
}

function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  // Nest throws it where no controller knows the method and path.
  if (thrown instanceof NotFoundException) return actionNotFound();
  return serverDefect();
}
