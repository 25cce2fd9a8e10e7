import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { megabytesOf } from '../support/memory-use.js';
import { Nginx } from '../support/nginx.js';
import { runCli, ServiceProcess } from '../support/process.js';
import { zoneAtNoon } from '../support/registry.js';

/** A service on an empty SQLite file, for one measurement. */
export interface MeasuredService {
  /** URL of the proxy in front of the service, if there is one. */
  url: string;
  bareUrl: string;
  /** Resident memory of the service and the proxy, in MB. */
  memory(): number;
  stop(): Promise<void>;
}

interface Setting {
  /** Further configuration; `folder` belongs to the service. */
  envOf?: (folder: string) => Record<string, string>;
  isProxied?: boolean;
}

/** @throws Error if the database cannot be made */
export async function startMeasuredService({ envOf, isProxied }: Setting = {}): Promise<MeasuredService> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-reliability-'));
  const exit = cleanUpAtExit(() => removeFolder(folder));
  const DATABASE_URL = `sqlite:${join(folder, 'registry.sqlite')}`;
  const { code, output } = await runCli(['migrate'], { DATABASE_URL });
  if (code !== 0) throw new Error(output);
  const env = {
    DATABASE_URL,
    TIME_ZONE: zoneAtNoon(),
    LOG_LEVEL: 'error',
    TRUST_PROXY: '127.0.0.1',
    ...envOf?.(folder),
  };
  const service = await ServiceProcess.start(env);
  const abandon = cleanUpAtExit(() => service.signal('SIGKILL'));
  const nginx = isProxied ? await Nginx.before(service.url) : undefined;
  return {
    url: nginx?.url ?? service.url,
    bareUrl: service.url,
    memory: () => megabytesOf(service.pid) + (nginx?.memory() ?? 0),
    stop: async () => {
      await nginx?.stop();
      abandon.revoke();
      await service.kill('SIGKILL');
      removeFolder(folder);
      exit.revoke();
    },
  };
}
