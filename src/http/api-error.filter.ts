import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, NotFoundException, Optional } from '@nestjs/common';
import type { RegistryRequest, RegistryResponse } from './exchange.js';
import { Answer, writeAnswer } from './answer.js';
import { logger, stackOf } from '../logging/logger.js';
import { ERROR_RENDERING, type ErrorRendering } from './error-rendering.js';
import { requestIdOf } from './request-id.js';
import { ApiError } from '../errors/api-error.js';
import { actionNotFound, serverDefect } from '../errors/errors.js';

/** The one exit for everything that is thrown: it writes the error body, or what a browser is shown in its place. */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  constructor(@Optional() @Inject(ERROR_RENDERING) private readonly rendering?: ErrorRendering) {}

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
    if (this.rendering?.render(request, response, error) === true) return;
    writeAnswer(response, new Answer(error.status, error.body(), error.headers));
  }
}

function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  // Nest throws it where no controller knows the method and path.
  if (thrown instanceof NotFoundException) return actionNotFound();
  return serverDefect();
}
