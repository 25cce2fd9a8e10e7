const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const cleanUps = new Set<() => void>();
let listens = false;

/** Registers a synchronous clean-up for the end of this process, until it is revoked: Jest skips the global teardown when interrupted. */
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
      // Our listener is removed, so the signal now ends the process, and its parent sees the signal as the cause.
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
