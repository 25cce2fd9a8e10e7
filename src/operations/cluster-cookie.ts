import { anotherServer } from '../platform/errors/errors.js';
import type { RegistryRequest, Check } from '../http/request.js';
import { targetOf } from '../http/request-target.js';

const COOKIE = 'SERVER_ID';
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Cluster mode, for balancers that keep a client at one server by a cookie: two steps of every request below /api/. A client without the
 * cookie is given it, with whatever answer. A write without it, and any request with another server's cookie, is refused with this server's
 * cookie, to be repeated. Source: contract section 9.
 */
export function clusterMember(serverId: string): Record<'greet' | 'refuse', Check> {
  const own = `${COOKIE}=${serverId}; Path=/; HttpOnly`;
  return {
    greet: (request, response) => {
      if (isOfApi(request) && cookies(request).length === 0) response.setHeader('Set-Cookie', own);
    },
    refuse: (request, response) => {
      const sent = cookies(request);
      const isStranger = sent.length > 0 ? !sent.includes(serverId) : !READS.has(request.method);
      if (isStranger && isOfApi(request)) {
        response.setHeader('Set-Cookie', own);
        throw anotherServer();
      }
    },
  };
}

function isOfApi(request: RegistryRequest): boolean {
  return targetOf(request).path.startsWith('/api/');
}

/** The values of the cookie: a browser may hold several, of different paths. */
function cookies({ headers: { cookie = '' } }: RegistryRequest): string[] {
  const pairs = cookie.split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${COOKIE}=`)).map((pair) => pair.slice(COOKIE.length + 1));
}
