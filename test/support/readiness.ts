import type { Reply, Sender } from './registry.js';
import { until } from './until.js';

/** The machine stalls for a moment, or for some seconds. */
const STALLED = /"database: (?:does not answer in time|is away: it does not answer in time)"/;

/** `/health/ready`, repeated while the database answers too slowly. */
export async function readiness(registry: Sender): Promise<Reply> {
  let reply: Reply | undefined;
  await until(async () => {
    reply = await registry.send('/health/ready');
    return !STALLED.test(reply.text);
  });
  return reply as Reply;
}
