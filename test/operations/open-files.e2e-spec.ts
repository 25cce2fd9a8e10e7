import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { ASSETS } from '../support/assets.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { ServiceProcess } from '../support/process.js';
import type { Reply } from '../support/registry.js';

it('a service that has reached its limit of open files still shows pages and recovers', async () => {
  const database = await (databases[0] as TestDatabaseKind).create();
  const service = await ServiceProcess.start({ DATABASE_URL: database.url });
  const page = (path: string): Promise<Reply> => service.send(path, { headers: { Accept: 'text/html' } });
  // The connection is kept, as another one could not be accepted.
  await service.send('/health/live');
  execFileSync('prlimit', ['--pid', String(service.pid), '--nofile=1:']);
  for (const path of ['/', '/docs/', '/docs/swagger-ui-bundle.js']) expect((await page(path)).status).toBe(200);
  expect((await page('/nothing')).status).toBe(404);
  // For a snapshot its file and another connection would have to be opened.
  expect((await page(`${ASSETS}/snapshot.jsonl.gz`)).status).toBe(503);
  expect((await service.kill('SIGTERM')).code).toBe(0);
  await database.drop();
});
