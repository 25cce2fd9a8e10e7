/** One host of a MySQL-compatible database. */
export interface HostAddress {
  host: string;
  port: number;
}

/** What DATABASE_URL says. */
export type DatabaseAddress =
  | { kind: 'sqlite'; path: string }
  | { kind: 'mysql'; hosts: HostAddress[]; user: string; password: string; database: string };

const DEFAULT_PORT = 3306;
const MYSQL_URL = /^mysql:\/\/(?:(?<login>[^@/]*)@)?(?<hosts>[^@/?#]+)\/(?<database>[^/?#]+)$/;

/** Reads `sqlite:<path>` or `mysql://user:password@host:port,host:port/database`; undefined when it is neither. */
export function parseDatabaseUrl(text: string): DatabaseAddress | undefined {
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length);
    return path !== '' && !path.startsWith(':') && !path.endsWith('/') ? { kind: 'sqlite', path } : undefined;
  }
  const { login = '', hosts = '', database = '' } = MYSQL_URL.exec(text)?.groups ?? {};
  const addresses = hosts.split(',').map(parseHost);
  const [user = '', password = ''] = login.split(/:(.*)/s);
  const words = [user, password, database].map(decode);
  if (!addresses.every((address) => address !== undefined) || words.includes(undefined)) return undefined;
  const [name = '', secret = '', schema = ''] = words;
  return { kind: 'mysql', hosts: addresses, user: name, password: secret, database: schema };
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
