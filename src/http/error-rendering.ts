import type { ApiError } from '../platform/errors/api-error.js';
import type { RegistryRequest, RegistryResponse } from './request.js';

/** Another form of errors than the API's, such as pages for browsers. */
export interface ErrorRendering {
  /** Answers the request if it wants this form. @returns whether it has answered */
  render(request: RegistryRequest, response: RegistryResponse, error: ApiError): boolean;
}

/** Injection token of the ErrorRendering, which is optional. */
export const ERROR_RENDERING = Symbol('ERROR_RENDERING');
