import { StartError } from '../errors/start-error.js';
import { databaseUrlFault, parseDatabaseUrl } from './database-url.js';
import { settingWarnings } from './setting-warnings.js';
import {
  DAILY_BYTES_RULE,
  DRAIN_DELAY_RULE,
  keepDatabaseUrl,
  LOG_LEVELS,
  MAP_SEARCH_RULE,
  PACKAGES_RULE,
  parseBytes,
  parseDailyBytes,
  parseReserve,
  parseDrainDelay,
  parseLogLevel,
  parseMapSearchUrl,
  parseMaxAge,
  parseNetworks,
  parsePackages,
  parsePort,
  parsePrefix,
  parseProduction,
  parsePublicUrl,
  parseRate,
  parseSearchIndex,
  parseServerId,
  parseSpan,
  parseSwitch,
  parseTimeZone,
  PRODUCTION_RULE,
  PUBLIC_URL_RULE,
  RATE_RULE,
  RESERVE_RULE,
  SEARCH_INDEX_RULE,
  SPAN_RULE,
  type Rate,
} from './setting-parsers.js';

/** The settings of the service, read once at start. Source: contract section 10. */
export interface Config {
  host: string;
  port: number;
  databaseUrl: string;
  production: boolean;
  demoKeys: boolean;
  /** Whether `npm start --demo` was typed: without `--` before it, npm keeps the option for itself and tells it in the environment. */
  demo: boolean;
  /** Base of absolute links without a trailing slash; undefined means the request's Host header. */
  publicUrl: string | undefined;
  /** A search of addresses on a map of another site, with `{address}` in the place of one; undefined: addresses are no links. */
  mapSearchUrl: string | undefined;
  /** IANA name of the registry's time zone. */
  timeZone: string;
  assetIdPrefix: string;
  /** npm packages that bring an asset type each. */
  assetTypes: string[];
  /** File of the search index; undefined: search is off. */
  searchIndex: string | undefined;
  /** Folder of the snapshots of the feed. */
  snapshotFolder: string;
  /** How old a snapshot may be to be sent, in milliseconds; undefined: that depends on its size. */
  snapshotMaxAgeMs: number | undefined;
  /** Largest request body, in bytes. */
  bodyLimit: number;
  /** Private key of the log of public states: a file, or its text; undefined: there is no log. */
  logKey: string | undefined;
  /** The witnesses that countersign the log: pairs of a verifier key and a URL. */
  logWitnesses: string;
  logLevel: string;
  /** Where metrics are served; undefined: nowhere. */
  metricsPort: number | undefined;
  metricsHost: string;
  /** This server's name in cluster mode; undefined: off. */
  clusterServerId: string | undefined;
  /** Whether rate limits are on. */
  rateLimit: boolean;
  /** The limit of reads, by address. */
  readRate: Rate;
  /** The limit of writes, by account. */
  writeRate: Rate;
  /** The limit of refused keys, by address. */
  refusedKeyRate: Rate;
  /** What the changes of one account may have stored in a day, in bytes; Infinity: as much as it likes. */
  accountBytesPerDay: number;
  /** What of the disk under an SQLite file the service leaves free, in bytes. */
  diskReserve: number;
  /** How far the clock may be ahead of the time at which the registry was last at work, when it starts; in milliseconds. */
  clockMaxJumpMs: number;
  /** How far it may be from the database server's clock, behind the last instant, or off by a step while the service runs; in milliseconds. */
  clockMaxStepMs: number;
  /** How long the service goes on listening after it was told to end, so that balancers notice; in milliseconds. */
  drainDelayMs: number;
  /** Networks of proxies that are believed what they say of the client's address and protocol. */
  trustProxy: string[];
  /** Variables that look like settings and are ignored, a sentence each. */
  warnings: string[];
}

/** Thrown when the environment cannot be used; its message names every faulty variable, never a value that may be secret. */
export class ConfigError extends StartError {
  constructor(readonly faults: string[]) {
    super(`The configuration cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/**
 * Reads the configuration from `env`, by default the process's environment; pure.
 * @throws ConfigError with all faults at once
 */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const faults: string[] = [];
  const names = new Set<string>();
  const read = readerOf(env, faults, names);
  const production = read('NODE_ENV', 'development', parseProduction, PRODUCTION_RULE);
  const databaseUrl = readDatabaseUrl(read, production);
  const config: Config = {
    host: read('HOST', '127.0.0.1', (text) => text, ''),
    port: read('PORT', '8080', parsePort, 'is a port number from 0 to 65535'),
    databaseUrl,
    production,
    demoKeys: read('DEMO_KEYS', production ? '0' : '1', parseSwitch, 'is 1, on, 0 or off'),
    demo: parseSwitch(env['npm_config_demo'] ?? '') === true,
    publicUrl: read('PUBLIC_URL', undefined, parsePublicUrl, PUBLIC_URL_RULE),
    mapSearchUrl: read('MAP_SEARCH_URL', undefined, parseMapSearchUrl, MAP_SEARCH_RULE),
    timeZone: read('TIME_ZONE', 'Europe/Kyiv', parseTimeZone, 'is an IANA time zone such as Europe/Kyiv'),
    assetIdPrefix: read('ASSET_ID_PREFIX', 'UA', parsePrefix, 'is 1 to 8 letters or digits'),
    assetTypes: read('ASSET_TYPES', '', parsePackages, PACKAGES_RULE),
    ...readDerived(read, databaseUrl),
    bodyLimit: read('BODY_LIMIT', '256kb', parseBytes, 'is a size such as 256kb, from 1kb to 1mb'),
    ...readMetrics(read),
    clusterServerId: read('CLUSTER_SERVER_ID', undefined, parseServerId, 'is 1 to 64 letters, digits and . _ -'),
    ...readRates(read, production),
    diskReserve: read('DISK_RESERVE', '256mb', parseReserve, RESERVE_RULE),
    trustProxy: read('TRUST_PROXY', '', parseNetworks, 'is a list of networks such as 10.0.0.0/8,fd00::/8'),
    ...readClock(read, production),
    drainDelayMs: read('DRAIN_DELAY', production ? '3' : '0', parseDrainDelay, DRAIN_DELAY_RULE),
    ...readLog(read),
    warnings: settingWarnings(env, names),
  };
  faults.push(...contradictions(config));
  if (faults.length > 0) throw new ConfigError([...faults, ...config.warnings]);
  return config;
}

/** In production there is no default: with a misspelt name, an empty registry would be served instead of the real one. */
function readDatabaseUrl(read: Read, production: boolean): string {
  const unset =
    'has to be set with NODE_ENV=production, to sqlite:<path of a file> or mysql://user:password@host:port/database';
  const rule = (text: string): string | undefined => (text === '' ? unset : databaseUrlFault(text));
  return read('DATABASE_URL', production ? '' : 'sqlite:data/registry.sqlite', keepDatabaseUrl, rule);
}

type Derived = Pick<Config, 'searchIndex' | 'snapshotFolder' | 'snapshotMaxAgeMs'>;

/** What is derived from the database, and stands beside it unless another place is named. */
function readDerived(read: Read, databaseUrl: string): Derived {
  const index = besideDatabase(databaseUrl, 'search.sqlite');
  return {
    searchIndex: read('SEARCH_INDEX', index, parseSearchIndex, SEARCH_INDEX_RULE) ?? undefined,
    snapshotFolder: read('SNAPSHOT_FOLDER', besideDatabase(databaseUrl, 'snapshots'), (text) => text, ''),
    snapshotMaxAgeMs: read('SNAPSHOT_MAX_AGE', undefined, parseMaxAge, 'is a number of seconds from 0 to 86400'),
  };
}

type Clock = Pick<Config, 'clockMaxJumpMs' | 'clockMaxStepMs'>;

function readClock(read: Read, production: boolean): Clock {
  return {
    clockMaxJumpMs: read('CLOCK_MAX_JUMP', production ? '1d' : '400d', parseSpan, SPAN_RULE),
    clockMaxStepMs: read('CLOCK_MAX_STEP', '1s', parseSpan, SPAN_RULE),
  };
}

type Log = Pick<Config, 'logKey' | 'logWitnesses' | 'logLevel'>;

function readLog(read: Read): Log {
  return {
    logKey: read('LOG_KEY', undefined, (text) => text, ''),
    logWitnesses: read('LOG_WITNESSES', '', (text) => text, ''),
    logLevel: read('LOG_LEVEL', 'info', parseLogLevel, `is one of ${LOG_LEVELS.join(', ')}`),
  };
}

type MetricsAddress = Pick<Config, 'metricsPort' | 'metricsHost'>;

function readMetrics(read: Read): MetricsAddress {
  return {
    metricsPort: read('METRICS_PORT', undefined, parsePort, 'is a port number from 0 to 65535'),
    metricsHost: read('METRICS_HOST', '127.0.0.1', (text) => text, ''),
  };
}

type Rates = Pick<Config, 'rateLimit' | 'readRate' | 'writeRate' | 'refusedKeyRate' | 'accountBytesPerDay'>;

function readRates(read: Read, production: boolean): Rates {
  return {
    rateLimit: read('RATE_LIMIT', production ? '1' : '0', parseSwitch, 'is 1, on, 0 or off'),
    readRate: read('RATE_LIMIT_READS', '50/200', parseRate, RATE_RULE),
    writeRate: read('RATE_LIMIT_WRITES', '20/100', parseRate, RATE_RULE),
    refusedKeyRate: read('RATE_LIMIT_REFUSED_KEYS', '0.17/10', parseRate, RATE_RULE),
    accountBytesPerDay: read('ACCOUNT_BYTES_PER_DAY', production ? '1gb' : 'off', parseDailyBytes, DAILY_BYTES_RULE),
  };
}

/** What a variable has to be; or what is wrong with a value, without the value. */
type Rule = string | ((text: string) => string | undefined);
type Parse<T> = (text: string) => T | undefined;

interface Read {
  <T>(name: string, fallback: string, parse: Parse<T>, rule: Rule): T;
  /** For a variable that may be left out. */
  <T>(name: string, fallback: undefined, parse: Parse<T>, rule: Rule): T | undefined;
}

/**
 * @param faults the rule of each variable that breaks it is added here
 * @param names the name of each variable that is read is added here
 */
function readerOf(env: Record<string, string | undefined>, faults: string[], names: Set<string>): Read {
  return <T>(name: string, fallback: string | undefined, parse: Parse<T>, rule: Rule): T => {
    names.add(name);
    const text = env[name]?.trim() || fallback;
    if (text === undefined) return undefined as T;
    const value = parse(text);
    if (value === undefined) faults.push(`${name} ${typeof rule === 'string' ? rule : rule(text)}`);
    return value as T;
  };
}

/** Values that are valid alone and contradict each other. */
function contradictions(config: Config): string[] {
  const { production, demoKeys, databaseUrl, searchIndex, port, metricsPort, logKey, logWitnesses } = config;
  const faults: string[] = [];
  if (production && demoKeys) faults.push('DEMO_KEYS is refused with NODE_ENV=production: anyone knows these keys');
  if (searchIndex !== undefined && databaseUrl === `sqlite:${searchIndex}`)
    faults.push('SEARCH_INDEX is another file than that of DATABASE_URL');
  if (metricsPort !== undefined && metricsPort !== 0 && metricsPort === port)
    faults.push('METRICS_PORT is another port than PORT: metrics are not for the public');
  if (logWitnesses !== '' && logKey === undefined)
    faults.push('LOG_WITNESSES needs LOG_KEY: without a key there is no log that they countersign');
  return faults;
}

/** The default place of files that are derived from the database: beside it, or with a database server where the SQLite file would be. */
function besideDatabase(databaseUrl: string, name: string): string {
  const address = parseDatabaseUrl(databaseUrl ?? '');
  if (address?.kind !== 'sqlite') return `data/${name}`;
  return `${address.path.replace(/\.sqlite$/, '')}.${name}`;
}
