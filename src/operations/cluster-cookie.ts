import { anotherServer } from '../platform/errors/errors.js';
import type { RegistryRequest, Middleware } from '../http/request.js';
import { targetOf } from '../http/request-target.js';

const COOKIE = 'SERVER_ID';
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Cluster mode, for load balancers with sticky sessions: two steps of every request below /api/. `greet` sets the cookie if the client sent
 * none. `refuse` rejects a write without the cookie, and any request with another server's, and sets this server's so that the client can
 * repeat the request. Source: contract section 9.
 */
export function clusterMember(serverId: string): Record<'greet' | 'refuse', Middleware> {
  const setCookie = `${COOKIE}=${serverId}; Path=/; HttpOnly`;
  return {
    greet: (request, response) => {
      if (isOfApi(request) && cookies(request).length === 0) response.setHeader('Set-Cookie', setCookie);
    },
    refuse: (request, response) => {
      const sent = cookies(request);
      const isMisrouted = sent.length > 0 ? !sent.includes(serverId) : !READS.has(request.method);
      if (isMisrouted && isOfApi(request)) {
        response.setHeader('Set-Cookie', setCookie);
        throw anotherServer();
      }
    },
  };
}

function isOfApi(request: RegistryRequest): boolean {
  return targetOf(request).path.startsWith('/api/');
}

/** All values of the cookie: a browser may send several, set for different paths. */
function cookies({ headers: { cookie = '' } }: RegistryRequest): string[] {
  const pairs = cookie.split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${COOKIE}=`)).map((pair) => pair.slice(COOKIE.length + 1));
}
