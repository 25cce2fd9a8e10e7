import type { Dispatcher } from 'undici';
import type { Cookies } from './cookies.js';

/** An answer began and did not come to its end. */
export class AnswerCut extends Error {
  override readonly name = 'AnswerCut';
}

/**
 * What each single attempt of a request has beneath undici's repeats: the cookies, and an error of its own for an answer that was cut. Undici
 * would ask for the rest of it by Range, which the registry does not know.
 */
export function attempting(cookies: Cookies): Dispatcher.DispatcherComposeInterceptor {
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

  onRequestStart(...told: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestStart']>>): void {
    this.handler.onRequestStart?.(...told);
  }

  onResponseStart(...told: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    this.begun = true;
    this.cookies.take(told[2]['set-cookie']);
    this.handler.onResponseStart?.(...told);
  }

  onResponseData(...told: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseData']>>): void {
    this.handler.onResponseData?.(...told);
  }

  onResponseEnd(...told: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    this.handler.onResponseEnd?.(...told);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    const told = this.begun ? new AnswerCut('The answer was cut', { cause: error }) : error;
    this.handler.onResponseError?.(controller, told);
  }
}
