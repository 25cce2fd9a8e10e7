import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,128}$/;
const ids = new WeakMap<IncomingMessage, string>();

/** The client's X-Request-ID where it is 1 to 128 letters, digits and `._:-`, else one made here; the same for the whole request. */
export function requestIdOf(request: IncomingMessage): string {
  let id = ids.get(request);
  if (id === undefined) {
    const sent = request.headers['x-request-id'];
    id = typeof sent === 'string' && ACCEPTABLE.test(sent) ? sent : randomUUID();
    ids.set(request, id);
  }
  return id;
}
