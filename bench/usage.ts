import { readFileSync } from 'node:fs';

/** Ticks of the kernel's counters of processor time, on every Linux that Node runs on. */
const TICKS_A_SECOND = 100;

/** Processor seconds of the service, of its database (0 where it is embedded), and of this process, which makes the load. */
export interface Usage {
  service: number;
  database: number;
  generator: number;
}

export interface Pids {
  service: number;
  database: number | undefined;
}

/** Starts to count processor time. @returns a function that tells what was used since. Source: /proc of Linux. */
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
  // The name of the program stands in parentheses and may hold spaces; the 14th and 15th field are wanted.
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}
