import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { megabytesOf } from '../support/memory-use.js';
import { runCli, ServiceProcess } from '../support/process.js';
import { zoneAtNoon } from '../support/registry.js';

/** A service on an empty SQLite file, for one measurement. */
export interface OwnService {
  url: string;
  /** Resident memory of the service, in MB. */
  memory(): number;
  stop(): Promise<void>;
}

/** @param envOf further configuration @throws Error when the database cannot be made */
export async function startOwnService(
  envOf: (folder: string) => Record<string, string> = () => ({}),
): Promise<OwnService> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-reliability-'));
  const exit = cleanUpAtExit(() => removeFolder(folder));
  const DATABASE_URL = `sqlite:${join(folder, 'registry.sqlite')}`;
  const { code, output } = await runCli(['migrate'], { DATABASE_URL });
  if (code !== 0) throw new Error(output);
  const env = { DATABASE_URL, TIME_ZONE: zoneAtNoon(), LOG_LEVEL: 'error', ...envOf(folder) };
  const service = await ServiceProcess.start(env);
  const abandon = cleanUpAtExit(() => service.signal('SIGKILL'));
  return {
    url: service.url,
    memory: () => megabytesOf(service.pid),
    stop: async () => {
      abandon.revoke();
      await service.kill('SIGKILL');
      removeFolder(folder);
      exit.revoke();
    },
  };
}
