import type { Reply, Sender } from './registry.js';
import { until } from './until.js';

/** What `/health/ready` says where the database answers: again, where that took too long once, as it may on a machine that stands still for a moment. */
export async function readiness(registry: Sender): Promise<Reply> {
  let reply: Reply | undefined;
  await until(async () => {
    reply = await registry.send('/health/ready');
    return !reply.text.includes('"database: does not answer in time"');
  });
  return reply as Reply;
}
