import { resolve as resolvePath } from 'node:path';
import { EXIT, SyncError } from '../sync-error.js';
import { namedUrl } from './named-url.js';

/** How connections to a server are encrypted. */
export interface Tls {
  /** Whether its certificate is checked, and the host that it names. */
  verify: boolean;
  /** A file of the authorities that may have signed it; undefined: those that are known without one. */
  caFile: string | undefined;
}

/** A database of a server. */
export interface ServerTarget {
  kind: 'mysql' | 'postgres';
  /** Without parameters: the driver would take them for its own options. */
  url: string;
  /** Undefined: nothing is encrypted. */
  tls: Tls | undefined;
}

/** Where a copy is. */
export type Target = { kind: 'sqlite' | 'jsonl'; path: string } | ServerTarget;

/** What stands before `://` of each kind of server. */
const PROTOCOLS: Readonly<Record<string, ServerTarget['kind']>> = {
  'mysql:': 'mysql',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
};
/** Else it is a password with a slash, before which the host would seem to end: it would be shown. */
const DATABASE = /^\/[^/@]+$/;

/**
 * @param given `sqlite:FILE`, `jsonl:FILE`, or `mysql://user:password@host:port/database?tls=verify&ca=FILE`, or the same with `postgres://`;
 * `env:NAME` or `file:PATH` for what stands there
 * @throws SyncError for anything else
 */
export function readTarget(given: string): Target {
  const text = namedUrl(given);
  const [, kind, path] = /^(sqlite|jsonl):(?!\/\/)(.+)$/s.exec(text) ?? [];
  if (path !== undefined) return { kind: kind as 'sqlite' | 'jsonl', path: resolvePath(path) };
  if (URL.canParse(text)) {
    const url = new URL(text);
    const server = PROTOCOLS[url.protocol];
    if (server !== undefined && url.hostname !== '' && DATABASE.test(url.pathname) && url.hash === '') {
      if (!isDecodable([url.username, url.password, url.host, url.pathname].join(' ')))
        refuse('has a % that belongs to no escape: write %25 for one in a name or a password');
      const tls = readTls(url.searchParams);
      url.search = '';
      return { kind: server, url: url.href, tls };
    }
  }
  throw new SyncError(
    'A copy is kept in sqlite:FILE, jsonl:FILE, mysql://user:password@host:port/database or postgres://user:password@host:port/database, ' +
      'a server perhaps with ?tls=verify; env:NAME or file:PATH is where one of these stands',
    EXIT.usage,
  );
}

/** The driver would end with words that name neither the URL nor the place. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** What is written in the URL is not repeated: it may be secret. */
function refuse(what: string): never {
  throw new SyncError(`The URL of the server ${what}`, EXIT.usage);
}

function readTls(parameters: URLSearchParams): Tls | undefined {
  const names = [...parameters.keys()];
  const [tls, caFile] = [parameters.get('tls'), parameters.get('ca') ?? undefined];
  if (names.some((name) => /^ssl/i.test(name)))
    refuse(
      'takes tls in the place of ssl: write tls=require (encrypted) or tls=verify (the certificate is checked, too)',
    );
  const isKnown = names.every((name) => name === 'tls' || name === 'ca') && new Set(names).size === names.length;
  if (!isKnown || (tls !== null && tls !== 'require' && tls !== 'verify'))
    refuse('takes tls=require, or tls=verify with or without ca=FILE, and nothing else after its question mark');
  if (caFile !== undefined && tls !== 'verify')
    refuse('has ca=FILE, which goes with tls=verify: nothing else checks a certificate');
  if (caFile === '') refuse('has a ca that names no file: write ca=FILE, or leave it out');
  return tls === null ? undefined : { verify: tls === 'verify', caFile };
}

export function isServer(target: Target): target is ServerTarget {
  return 'url' in target;
}

/** Without the password. */
export function shownTarget(target: Target): string {
  if (!isServer(target)) return `${target.kind}:${target.path}`;
  const { host, pathname } = new URL(target.url);
  return `${target.kind}://${host}${pathname}`;
}
