import type { Server } from 'node:http';

const IDLE_CHECK_MS = 100;

/**
 * Stops listening and waits until what is being answered is answered.
 * @param limitMs then the connections that are left are cut
 * @returns the number of connections that were cut
 */
export async function drain(server: Server, limitMs: number): Promise<number> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  let cut = 0;
  const limit = setTimeout(() => {
    server.getConnections((_error, count) => {
      cut = count;
      server.closeAllConnections();
    });
  }, limitMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(limit);
  return cut;
}
