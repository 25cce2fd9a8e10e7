import type { Dispatcher } from 'undici';
import type { Cookies } from './cookies.js';

/** An answer began but is incomplete. */
export class AnswerCut extends Error {
  override readonly name = 'AnswerCut';
}

/**
 * Interceptor of each attempt, below undici's retries: sends cookies, and reports an incomplete answer as AnswerCut. Undici itself would request
 * the rest by Range, which the registry does not support.
 */
export function attemptInterceptor(cookies: Cookies): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const cookie = cookies.header;
    const headers = { ...(options.headers as Record<string, string>), ...(cookie !== undefined && { cookie }) };
    return dispatch({ ...options, headers }, new Attempt(handler, cookies));
  };
}

class Attempt implements Dispatcher.DispatchHandler {
  private begun = false;

  constructor(
    private readonly handler: Dispatcher.DispatchHandler,
    private readonly cookies: Cookies,
  ) {}

  onRequestStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestStart']>>): void {
    this.handler.onRequestStart?.(...args);
  }

  onResponseStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    this.begun = true;
    this.cookies.store(args[2]['set-cookie']);
    this.handler.onResponseStart?.(...args);
  }

  onResponseData(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseData']>>): void {
    this.handler.onResponseData?.(...args);
  }

  onResponseEnd(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    this.handler.onResponseEnd?.(...args);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    const reported = this.begun ? new AnswerCut('The answer was cut', { cause: error }) : error;
    this.handler.onResponseError?.(controller, reported);
  }
}
