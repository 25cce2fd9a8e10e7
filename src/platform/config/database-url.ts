/** One host of a MySQL-compatible database. */
export interface HostAddress {
  host: string;
  port: number;
}

export interface Tls {
  /** Whether the server's certificate and its host name are checked. */
  verify: boolean;
  /** A file of trusted authorities; undefined: the default ones. */
  caFile: string | undefined;
}

/** A parsed DATABASE_URL of a server. */
export interface ServerAddress {
  kind: 'mysql';
  hosts: HostAddress[];
  user: string;
  password: string;
  database: string;
  /** Undefined: not encrypted. */
  tls: Tls | undefined;
}

/** A parsed DATABASE_URL. */
export type DatabaseAddress = { kind: 'sqlite'; path: string } | ServerAddress;

const DEFAULT_PORT = 3306;
const MYSQL_URL =
  /^mysql:\/\/(?:(?<login>[^@/]*)@)?(?<hosts>[^@/?#]+)\/(?<database>[^/?#]+)(?:\?(?<parameters>[^#]*))?$/;

const FORMS =
  'must be sqlite:<path of a file> or mysql://user:password@host:port,host:port/database, perhaps with ?tls=verify (an in-memory SQLite is refused: it has no second connection)';
const ESCAPES = '. In a name or a password write %40 for @ and %2F for /';
const PARAMETERS =
  'takes only these parameters: tls=require (encrypted), or tls=verify (the certificate is checked, too) with or without ca=FILE';

/** Parses `sqlite:<path>` or `mysql://user:password@host:port,host:port/database?tls=verify&ca=FILE`; undefined if it is neither. */
export function parseDatabaseUrl(text: string): DatabaseAddress | undefined {
  const read = readUrl(text);
  return typeof read === 'string' ? undefined : read;
}

/** @returns why a URL is invalid, as the end of a sentence; never a part of the URL, which may be secret */
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
  if (words.includes(undefined))
    return 'has a % that is not part of an escape: write %25 for a % in a name or a password';
  const tls = readTls(new URLSearchParams(parameters));
  if (typeof tls === 'string') return tls;
  const [name = '', secret = '', schema = ''] = words;
  return { kind: 'mysql', hosts: addresses, user: name, password: secret, database: schema, tls };
}

/** @returns the fault of the parameters, or the encryption */
function readTls(parameters: URLSearchParams): Tls | string | undefined {
  const names = [...parameters.keys()];
  const [tls, caFile] = [parameters.get('tls'), parameters.get('ca') ?? undefined];
  if (names.some((name) => /^ssl/i.test(name)))
    return 'takes tls instead of ssl: write tls=require (encrypted) or tls=verify (the certificate is checked, too)';
  const isKnown = names.every((name) => name === 'tls' || name === 'ca') && new Set(names).size === names.length;
  if (!isKnown || (tls !== null && tls !== 'require' && tls !== 'verify')) return PARAMETERS;
  if (caFile !== undefined && tls !== 'verify')
    return 'has ca=FILE without tls=verify, which alone checks a certificate';
  if (caFile === '') return 'has an empty ca: write ca=FILE, or leave it out';
  return tls === null ? undefined : { verify: tls === 'verify', caFile };
}

/** `host:port`. */
export function printHost({ host, port }: HostAddress): string {
  return `${host}:${port}`;
}

function parseHost(text: string): HostAddress | undefined {
  const url = `http://${text}`;
  if (text === '' || !URL.canParse(url)) return undefined;
  // Taken from the text, because a parsed URL drops the default port of its protocol.
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
