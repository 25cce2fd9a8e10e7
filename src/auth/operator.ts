import { userInfo } from 'node:os';

/** The operator who runs the command, for the audit; no account can have such a name. */
export function operatorName(): string {
  return `operator:${userName().slice(0, 80)}`;
}

/** The operator, and the time in microseconds since 1970 UTC. */
export function operatorNow(): { us: number; actor: string } {
  return { us: Date.now() * 1_000, actor: operatorName() };
}

/** The system's user name; in a container the user may have only a number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
