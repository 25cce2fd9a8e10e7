/** In cluster mode this cookie binds a client to one server. */
export const SERVER_COOKIE = 'SERVER_ID';

/** The cookies of one registry, for the lifetime of the client. */
export class Cookies {
  readonly #values = new Map<string, string>();

  /** @param setCookie header of an answer */
  store(setCookie: string | string[] | undefined): void {
    for (const cookie of [setCookie ?? []].flat()) {
      const [pair = ''] = cookie.split(';', 1);
      const at = pair.indexOf('=');
      if (at > 0) this.#values.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
    }
  }

  /** The Cookie header of a request; undefined if there are no cookies. */
  get header(): string | undefined {
    if (this.#values.size === 0) return undefined;
    return [...this.#values].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}
