import type { Reply, Sender } from './registry.js';
import { until } from './until.js';

/** A machine that stands still for a moment, or for some seconds. */
const HELD_UP = /"database: (?:does not answer in time|is away: it does not answer in time)"/;

/** What `/health/ready` says where the database answers: again, where that took too long. */
export async function readiness(registry: Sender): Promise<Reply> {
  let reply: Reply | undefined;
  await until(async () => {
    reply = await registry.send('/health/ready');
    return !HELD_UP.test(reply.text);
  });
  return reply as Reply;
}
