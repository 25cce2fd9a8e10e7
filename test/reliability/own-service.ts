import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { type DatabaseKind, startDatabase } from '../faults/databases.js';
import { rssOf } from '../support/memory-use.js';
import { runCli, ServiceProcess } from '../support/process.js';
import { zoneAtNoon } from '../support/registry.js';

/** A service and its database for one measurement. */
export interface OwnService {
  url: string;
  pid: number;
  /** A folder that goes with the service. */
  folder: string;
  /** Resident memory of the service, in MB. */
  memory(): number;
  stop(): Promise<void>;
}

/** @param envOf configuration beside the database and the port */
export async function startOwnService(
  kind: DatabaseKind,
  envOf: (folder: string) => Record<string, string> = () => ({}),
): Promise<OwnService> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-reliability-'));
  const exit = cleanUpAtExit(() => removeFolder(folder));
  const database = await startDatabase(kind, folder);
  await runCli(['migrate'], { DATABASE_URL: database.url });
  const env = { DATABASE_URL: database.url, TIME_ZONE: zoneAtNoon(), LOG_LEVEL: 'error', ...envOf(folder) };
  const service = await ServiceProcess.start(env);
  const abandon = cleanUpAtExit(() => service.signal('SIGKILL'));
  return {
    url: service.url,
    pid: service.pid,
    folder,
    memory: () => Math.round(rssOf(service.pid) / 1_024 / 1_024),
    stop: async () => {
      abandon.revoke();
      await service.kill('SIGKILL');
      await database.stop();
      removeFolder(folder);
      exit.revoke();
    },
  };
}
