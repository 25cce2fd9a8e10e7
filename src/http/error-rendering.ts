import type { ApiError } from '../errors/api-error.js';
import type { RegistryRequest, RegistryResponse } from './exchange.js';

/** Another form of an error than the API's, for whoever asks for it. */
export interface ErrorRendering {
  /** Answers the request, or leaves that to the API. @returns whether it has answered */
  render(request: RegistryRequest, response: RegistryResponse, error: ApiError): boolean;
}

/** Injection token of the ErrorRendering, where there is one. */
export const ERROR_RENDERING = Symbol('ERROR_RENDERING');
