const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const cleanUps = new Set<() => void>();
let listens = false;

/** Runs a synchronous clean-up when this process ends before it is revoked: Jest skips the global teardown when interrupted. */
export function cleanUpAtExit(cleanUp: () => void): { revoke(): void } {
  cleanUps.add(cleanUp);
  if (!listens) listen();
  listens = true;
  return { revoke: () => void cleanUps.delete(cleanUp) };
}

function listen(): void {
  process.once('exit', runAll);
  for (const signal of SIGNALS) {
    process.once(signal, () => {
      runAll();
      // With our listener gone the signal ends the process, and its parent sees why.
      process.kill(process.pid, signal);
    });
  }
}

function runAll(): void {
  for (const cleanUp of cleanUps) {
    try {
      cleanUp();
    } catch (error) {
      process.stderr.write(`Not cleaned up: ${String(error)}\n`);
    }
  }
  cleanUps.clear();
}
