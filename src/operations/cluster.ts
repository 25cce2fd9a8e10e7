import { anotherServer } from '../errors/errors.js';
import type { RegistryRequest, RegistryResponse } from '../http/exchange.js';
import { targetOf } from '../http/request-head.js';

const COOKIE = 'SERVER_ID';
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Cluster mode, for balancers that keep a client at one server by a cookie. A client without the cookie is given it. A write without it, and
 * any request with another server's cookie, is refused with this server's cookie, to be repeated. Source: contract section 9.
 */
export function clusterMember(
  serverId: string,
): (request: RegistryRequest, response: RegistryResponse, next: () => void) => void {
  return (request, response, next) => {
    const sent = cookies(request);
    if (!targetOf(request).path.startsWith('/api/') || sent.includes(serverId)) {
      next();
      return;
    }
    response.setHeader('Set-Cookie', `${COOKIE}=${serverId}; Path=/; HttpOnly`);
    if (sent.length > 0 || !READS.has(request.method)) throw anotherServer();
    next();
  };
}

/** The values of the cookie: a browser may hold several, of different paths. */
function cookies({ headers: { cookie = '' } }: RegistryRequest): string[] {
  const pairs = cookie.split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${COOKIE}=`)).map((pair) => pair.slice(COOKIE.length + 1));
}
