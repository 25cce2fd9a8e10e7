import { resolve as resolvePath } from 'node:path';
import { EXIT, SyncError } from '../sync-error.js';

/** Where a copy is. */
export type Target = { kind: 'sqlite' | 'jsonl'; path: string } | { kind: 'mysql'; url: string };

/** @param text `sqlite:FILE`, `jsonl:FILE` or `mysql://user:password@host:port/database` @throws SyncError for anything else */
export function readTarget(text: string): Target {
  const [, kind, path] = /^(sqlite|jsonl):(?!\/\/)(.+)$/s.exec(text) ?? [];
  if (path !== undefined) return { kind: kind as 'sqlite' | 'jsonl', path: resolvePath(path) };
  if (URL.canParse(text)) {
    const url = new URL(text);
    if (url.protocol === 'mysql:' && url.hostname !== '' && url.pathname.length > 1)
      return { kind: 'mysql', url: text };
  }
  throw new SyncError(
    'A copy is kept in sqlite:FILE, jsonl:FILE or mysql://user:password@host:port/database',
    EXIT.usage,
  );
}

/** Without the password. */
export function shownTarget(target: Target): string {
  if (target.kind !== 'mysql') return `${target.kind}:${target.path}`;
  const { host, pathname } = new URL(target.url);
  return `mysql://${host}${pathname}`;
}
