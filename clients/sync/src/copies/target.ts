import { resolve as resolvePath } from 'node:path';
import { EXIT, SyncError } from '../sync-error.js';
import { namedUrl } from './named-url.js';

/** Encryption of connections to a server. */
export interface Tls {
  /** Whether the certificate and its host name are verified. */
  verify: boolean;
  /** A file of trusted certificate authorities; undefined for the default ones. */
  caFile: string | undefined;
}

/** A database of a server. */
export interface ServerTarget {
  kind: 'mysql' | 'postgres';
  /** Without parameters, which the driver would interpret as its own options. */
  url: string;
  /** Undefined for no encryption. */
  tls: Tls | undefined;
}

/** The location of a copy. */
export type Target = { kind: 'sqlite' | 'jsonl'; path: string } | ServerTarget;

/** URL scheme of each kind of server. */
const PROTOCOLS: Readonly<Record<string, ServerTarget['kind']>> = {
  'mysql:': 'mysql',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
};
/** Otherwise a password contains a slash, at which the host would seem to end, and part of it would be shown. */
const DATABASE = /^\/[^/@]+$/;

/**
 * @param given `sqlite:FILE`, `jsonl:FILE`, or `mysql://user:password@host:port/database?tls=verify&ca=FILE`, or the same with `postgres://`; or
 * `env:NAME` or `file:PATH`, which contain one of these
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

/** The driver's own error would name neither the URL nor the position. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The message does not repeat the URL, which may contain a secret. */
function refuse(what: string): never {
  throw new SyncError(`The URL of the server ${what}`, EXIT.usage);
}

function readTls(parameters: URLSearchParams): Tls | undefined {
  const names = [...parameters.keys()];
  const [tls, caFile] = [parameters.get('tls'), parameters.get('ca') ?? undefined];
  if (names.some((name) => /^ssl/i.test(name)))
    refuse('takes tls instead of ssl: write tls=require (encrypted) or tls=verify (the certificate is checked, too)');
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

/** The target without its password. */
export function shownTarget(target: Target): string {
  if (!isServer(target)) return `${target.kind}:${target.path}`;
  const { host, pathname } = new URL(target.url);
  return `${target.kind}://${host}${pathname}`;
}
