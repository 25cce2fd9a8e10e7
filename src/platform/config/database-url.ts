/** One host of a MySQL-compatible database. */
export interface HostAddress {
  host: string;
  port: number;
}

/** How connections to a server are encrypted. */
export interface Tls {
  /** Whether its certificate is checked, and the host that it names. */
  verify: boolean;
  /** A file of the authorities that may have signed it; undefined: those that are known without one. */
  caFile: string | undefined;
}

/** What DATABASE_URL says of a server. */
export interface ServerAddress {
  kind: 'mysql';
  hosts: HostAddress[];
  user: string;
  password: string;
  database: string;
  /** Undefined: nothing is encrypted. */
  tls: Tls | undefined;
}

/** What DATABASE_URL says. */
export type DatabaseAddress = { kind: 'sqlite'; path: string } | ServerAddress;

const DEFAULT_PORT = 3306;
const MYSQL_URL =
  /^mysql:\/\/(?:(?<login>[^@/]*)@)?(?<hosts>[^@/?#]+)\/(?<database>[^/?#]+)(?:\?(?<parameters>[^#]*))?$/;

const FORMS =
  'is sqlite:<path of a file> or mysql://user:password@host:port,host:port/database, perhaps with ?tls=verify (an in-memory SQLite is refused: it has no second connection)';
const ESCAPES = '. In a name or a password write %40 for @ and %2F for /';
const PARAMETERS =
  'takes tls=require (encrypted), or tls=verify (the certificate is checked, too) with or without ca=FILE, and nothing else after its question mark';

/** Reads `sqlite:<path>` or `mysql://user:password@host:port,host:port/database?tls=verify&ca=FILE`; undefined when it is neither. */
export function parseDatabaseUrl(text: string): DatabaseAddress | undefined {
  const read = readUrl(text);
  return typeof read === 'string' ? undefined : read;
}

/** @returns why a URL cannot be read, to follow its name in a sentence; never a part of it, as that may be secret */
export function databaseUrlFault(text: string): string | undefined {
  const read = readUrl(text);
  return typeof read === 'string' ? read : undefined;
}

function readUrl(text: string): DatabaseAddress | string {
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length);
    return path !== '' && !path.startsWith(':') && !path.endsWith('/') ? { kind: 'sqlite', path } : FORMS;
  }
  const { login = '', hosts = '', database = '', parameters = '' } = MYSQL_URL.exec(text)?.groups ?? {};
  const addresses = hosts.split(',').map(parseHost);
  const [user = '', password = ''] = login.split(/:(.*)/s);
  const words = [user, password, database].map(decode);
  if (!addresses.every((address) => address !== undefined)) return text.startsWith('mysql:') ? FORMS + ESCAPES : FORMS;
  if (words.includes(undefined)) return 'has a % that belongs to no escape: write %25 for one in a name or a password';
  const tls = readTls(new URLSearchParams(parameters));
  if (typeof tls === 'string') return tls;
  const [name = '', secret = '', schema = ''] = words;
  return { kind: 'mysql', hosts: addresses, user: name, password: secret, database: schema, tls };
}

/** @returns what is wrong with them, or how connections are encrypted */
function readTls(parameters: URLSearchParams): Tls | string | undefined {
  const names = [...parameters.keys()];
  const [tls, caFile] = [parameters.get('tls'), parameters.get('ca') ?? undefined];
  if (names.some((name) => /^ssl/i.test(name)))
    return 'takes tls in the place of ssl: write tls=require (encrypted) or tls=verify (the certificate is checked, too)';
  const isKnown = names.every((name) => name === 'tls' || name === 'ca') && new Set(names).size === names.length;
  if (!isKnown || (tls !== null && tls !== 'require' && tls !== 'verify')) return PARAMETERS;
  if (caFile !== undefined && tls !== 'verify')
    return 'has ca=FILE, which goes with tls=verify: nothing else checks a certificate';
  if (caFile === '') return 'has a ca that names no file: write ca=FILE, or leave it out';
  return tls === null ? undefined : { verify: tls === 'verify', caFile };
}

/** `host:port`, for people. */
export function printHost({ host, port }: HostAddress): string {
  return `${host}:${port}`;
}

function parseHost(text: string): HostAddress | undefined {
  const url = `http://${text}`;
  if (text === '' || !URL.canParse(url)) return undefined;
  // Read from the text: a parsed URL drops the default port of its protocol.
  const port = /:(\d+)$/.exec(text)?.[1];
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: Number(port ?? DEFAULT_PORT) };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
