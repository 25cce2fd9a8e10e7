import { setTimeout as sleep } from 'node:timers/promises';

/** Why there are no examples, or not all of them, as a sentence. */
export class DemoError extends Error {}

const TOO_MANY_REQUESTS = 429;

/** Requests of the API as any client makes them. */
export class DemoClient {
  /** @param url where the registry listens, without a trailing slash */
  constructor(private readonly url: string) {}

  /** @param key of the account that sends it @throws DemoError for an answer that is no success */
  async send(method: 'POST' | 'PATCH', path: string, key: string, body: object): Promise<string> {
    const what = `${method} /api/0.1/assets${path}`;
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const request = { method, headers, body: JSON.stringify(body) };
    for (;;) {
      const answer = await this.fetch(what, `${this.url}/api/0.1/assets${path}`, request);
      const text = await answer.text();
      if (answer.ok) return text;
      if (answer.status !== TOO_MANY_REQUESTS)
        throw new DemoError(`${what} was answered with ${answer.status}: ${text}`);
      await sleep(Number(answer.headers.get('retry-after')) * 1_000);
    }
  }

  private async fetch(what: string, url: string, request: RequestInit): Promise<Response> {
    try {
      return await fetch(url, request);
    } catch (error) {
      const reason = (error as { cause?: Error }).cause?.message ?? (error as Error).message;
      throw new DemoError(`${what} was not answered: ${reason}`, { cause: error });
    }
  }
}
