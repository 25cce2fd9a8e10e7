import { readFileSync } from 'node:fs';

const WHERE_LINUX_SAYS = '/proc/self/limits';

/** How many files and sockets this process may have open; undefined where the system does not say, or there is no limit. */
export function descriptorLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync(WHERE_LINUX_SAYS, 'utf8')) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}
