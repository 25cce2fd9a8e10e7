import { readFileSync } from 'node:fs';

/** Ticks per second of the kernel's processor-time counters, on every Linux that Node runs on. */
const TICKS_A_SECOND = 100;

/** Processor seconds of the service, of its database (0 if embedded), and of this process, which generates the load. */
export interface Usage {
  service: number;
  database: number;
  generator: number;
}

export interface Pids {
  service: number;
  database: number | undefined;
}

/** Starts counting processor time. @returns a function that returns the usage since then. Source: /proc of Linux. */
export function startMeter(pids: Pids): () => Usage {
  const before = usageOf(pids);
  return () => {
    const now = usageOf(pids);
    return {
      service: now.service - before.service,
      database: now.database - before.database,
      generator: now.generator - before.generator,
    };
  };
}

function usageOf({ service, database }: Pids): Usage {
  const { user, system } = process.cpuUsage();
  return {
    service: cpuSecondsOf(service),
    database: database === undefined ? 0 : cpuSecondsOf(database),
    generator: (user + system) / 1_000_000,
  };
}

/** User and system time of a process with all of its threads. */
function cpuSecondsOf(pid: number): number {
  // The program's name stands in parentheses and may contain spaces; fields 14 and 15 are user and system time.
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}
