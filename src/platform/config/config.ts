import { StartError } from '../errors/start-error.js';
import { databaseUrlFault, parseDatabaseUrl } from './database-url.js';
import {
  CONTACT_RULE,
  FREQUENCY_RULE,
  LICENCE_RULE,
  NAME_RULE,
  parseContact,
  parseFrequency,
  parseLicence,
  parseName,
  parseWebUrl,
  WEB_URL_RULE,
} from './publisher-parsers.js';
import { settingWarnings } from './setting-warnings.js';
import {
  DAILY_BYTES_RULE,
  DRAIN_DELAY_RULE,
  checkDatabaseUrl,
  LOG_LEVELS,
  PACKAGES_RULE,
  parseBytes,
  parseDailyBytes,
  parseReserve,
  parseDrainDelay,
  parseLogLevel,
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
  parseUrlTemplate,
  PRODUCTION_RULE,
  PUBLIC_URL_RULE,
  RATE_RULE,
  RESERVE_RULE,
  SEARCH_INDEX_RULE,
  SPAN_RULE,
  urlTemplateRule,
} from './setting-parsers.js';

/** Continues the variable's name to an error message; never contains the value. */
type Rule = string | ((text: string) => string | undefined);

/** Settings on which a default may depend. */
interface EarlierSettings {
  production: boolean;
  databaseUrl: string;
}

/** One variable of the environment. */
interface Setting<T> {
  variable: string;
  /** Used if the variable is unset or empty; undefined: the value is undefined then. */
  fallback: string | undefined | ((known: EarlierSettings) => string);
  /** @returns undefined if the text is invalid; null for a value that is undefined in the configuration */
  parse: (text: string) => T | null | undefined;
  rule: Rule;
}

function setting<T>(
  variable: string,
  fallback: string | ((known: EarlierSettings) => string),
  parse: (text: string) => T | null | undefined,
  rule: Rule,
): Setting<T> {
  return { variable, fallback, parse, rule };
}

/** A variable without a default. */
function optional<T>(variable: string, parse: (text: string) => T | undefined, rule: Rule): Setting<T | undefined> {
  return { variable, fallback: undefined, parse, rule };
}

const anyText = (text: string): string => text;
const SWITCH_RULE = 'must be 1, on, 0 or off';
const PORT_RULE = 'must be a port number from 0 to 65535';
const LOG_LEVEL_RULE = `must be one of ${LOG_LEVELS.join(', ')}`;
const inProduction =
  (text: string, otherwise: string) =>
  ({ production }: EarlierSettings): string =>
    production ? text : otherwise;
const nextToDatabase =
  (name: string) =>
  ({ databaseUrl }: EarlierSettings): string =>
    pathNextToDatabase(databaseUrl, name);

/** Production has no default: with a misspelt variable, an empty registry would be served instead of the real one. */
const UNSET =
  'must be set with NODE_ENV=production, to sqlite:<path of a file> or mysql://user:password@host:port/database';

/** In the order in which they are read. Source: contract section 10. */
const SETTINGS = {
  production: setting('NODE_ENV', 'development', parseProduction, PRODUCTION_RULE),
  databaseUrl: setting('DATABASE_URL', inProduction('', 'sqlite:data/registry.sqlite'), checkDatabaseUrl, (text) =>
    text === '' ? UNSET : databaseUrlFault(text),
  ),
  host: setting('HOST', '127.0.0.1', anyText, ''),
  port: setting('PORT', '8080', parsePort, PORT_RULE),
  demoKeys: setting('DEMO_KEYS', inProduction('0', '1'), parseSwitch, SWITCH_RULE),
  /** Base of absolute links without a trailing slash; undefined means the request's Host header. */
  publicUrl: optional('PUBLIC_URL', parsePublicUrl, PUBLIC_URL_RULE),
  /** URL of a map's address search, with `{address}` as placeholder; undefined: addresses are not links. */
  mapSearchUrl: optional('MAP_SEARCH_URL', parseUrlTemplate('address'), urlTemplateRule('address')),
  /** URL of a lot's page on the site that sells it, with `{id}` as placeholder; undefined: lots are not links. */
  lotUrl: optional('LOT_URL', parseUrlTemplate('id'), urlTemplateRule('id')),
  /** The organisation that is responsible for the registry. */
  publisherName: optional('PUBLISHER_NAME', parseName, NAME_RULE),
  /** Its name on English pages; undefined: the same name. */
  publisherNameEn: optional('PUBLISHER_NAME_EN', parseName, NAME_RULE),
  publisherUrl: optional('PUBLISHER_URL', parseWebUrl, WEB_URL_RULE),
  /** Contact for questions about the data: a `mailto:` or `https:` URI. */
  publisherContact: optional('PUBLISHER_CONTACT', parseContact, CONTACT_RULE),
  /** Contact for reports of vulnerabilities: such a URI; undefined: that of the publisher. */
  securityContact: optional('SECURITY_CONTACT', parseContact, CONTACT_RULE),
  licence: optional('LICENCE', parseLicence, LICENCE_RULE),
  termsUrl: optional('TERMS_URL', parseWebUrl, WEB_URL_RULE),
  updateFrequency: optional('UPDATE_FREQUENCY', parseFrequency, FREQUENCY_RULE),
  /** IANA name of the registry's time zone. */
  timeZone: setting('TIME_ZONE', 'Europe/Kyiv', parseTimeZone, 'must be an IANA time zone such as Europe/Kyiv'),
  assetIdPrefix: setting(
    'ASSET_ID_PREFIX',
    'UA',
    parsePrefix,
    'must be 1 to 16 letters and digits, with single hyphens between them, such as UA-AR-DGF',
  ),
  /** npm packages with asset types. */
  assetTypes: setting('ASSET_TYPES', '', parsePackages, PACKAGES_RULE),
  /** npm packages with one Nest module each. */
  modules: setting('MODULES', '', parsePackages, PACKAGES_RULE),
  /** File of the search index; undefined: search is off. */
  searchIndex: setting<string | undefined>(
    'SEARCH_INDEX',
    nextToDatabase('search.sqlite'),
    parseSearchIndex,
    SEARCH_INDEX_RULE,
  ),
  /** Folder of the snapshots of the feed. */
  snapshotFolder: setting('SNAPSHOT_FOLDER', nextToDatabase('snapshots'), anyText, ''),
  /** Maximum age of a snapshot, in milliseconds; undefined: it depends on the size. */
  snapshotMaxAgeMs: optional('SNAPSHOT_MAX_AGE', parseMaxAge, 'must be a number of seconds from 0 to 86400'),
  /** Largest request body, in bytes. */
  bodyLimit: setting('BODY_LIMIT', '256kb', parseBytes, 'must be a size such as 256kb, from 1kb to 1mb'),
  /** Port of the metrics; undefined: off. */
  metricsPort: optional('METRICS_PORT', parsePort, PORT_RULE),
  metricsHost: setting('METRICS_HOST', '127.0.0.1', anyText, ''),
  /** This server's name in cluster mode; undefined: off. */
  clusterServerId: optional('CLUSTER_SERVER_ID', parseServerId, 'must be 1 to 64 letters, digits and . _ -'),
  /** Whether rate limits are on. */
  rateLimit: setting('RATE_LIMIT', inProduction('1', '0'), parseSwitch, SWITCH_RULE),
  /** The limit of reads, by address. */
  readRate: setting('RATE_LIMIT_READS', '50/200', parseRate, RATE_RULE),
  /** The limit of writes, by account. */
  writeRate: setting('RATE_LIMIT_WRITES', '20/100', parseRate, RATE_RULE),
  /** The limit of refused keys, by address. */
  refusedKeyRate: setting('RATE_LIMIT_REFUSED_KEYS', '0.17/10', parseRate, RATE_RULE),
  /** Bytes that the changes of one account may store per day; Infinity: unlimited. */
  accountBytesPerDay: setting('ACCOUNT_BYTES_PER_DAY', inProduction('1gb', 'off'), parseDailyBytes, DAILY_BYTES_RULE),
  /** Bytes that the service leaves free on the disk of an SQLite file. */
  diskReserve: setting('DISK_RESERVE', '256mb', parseReserve, RESERVE_RULE),
  /** Networks of proxies whose X-Forwarded headers are trusted. */
  trustProxy: setting('TRUST_PROXY', '', parseNetworks, 'must be a list of networks such as 10.0.0.0/8,fd00::/8'),
  /** How far the clock may be ahead of the registry's last activity at start, in milliseconds. */
  clockMaxJumpMs: setting('CLOCK_MAX_JUMP', inProduction('1d', '400d'), parseSpan, SPAN_RULE),
  /** How far it may differ from the database server's clock, be behind the last instant, or jump while the service runs, in milliseconds. */
  clockMaxStepMs: setting('CLOCK_MAX_STEP', '1s', parseSpan, SPAN_RULE),
  /** How long the service keeps listening after a signal to end, so that load balancers notice, in milliseconds. */
  drainDelayMs: setting('DRAIN_DELAY', inProduction('3', '0'), parseDrainDelay, DRAIN_DELAY_RULE),
  /** Private key of the log of public states: a file, or its text; undefined: no log. */
  logKey: optional('LOG_KEY', anyText, ''),
  /** The witnesses that countersign the log: pairs of a verifier key and a URL. */
  logWitnesses: setting('LOG_WITNESSES', '', anyText, ''),
  logLevel: setting('LOG_LEVEL', 'info', parseLogLevel, LOG_LEVEL_RULE),
};

type Settings = { [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name] extends Setting<infer T> ? T : never };

/** The settings of the service, read once at start. */
export interface Config extends Settings {
  /** Whether `npm start --demo` was typed: without `--` before it, npm consumes the option and sets an environment variable. */
  demo: boolean;
  /** A sentence for each variable that looks like a setting but is ignored. */
  warnings: string[];
}

/** The publisher of the registry and its terms, as far as the operator has set them. */
export type Publisher = Partial<
  Pick<
    Config,
    | 'publisherName'
    | 'publisherNameEn'
    | 'publisherUrl'
    | 'publisherContact'
    | 'licence'
    | 'termsUrl'
    | 'updateFrequency'
  >
>;

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
  const settings = Object.entries<Setting<unknown>>(SETTINGS);
  const variables = new Set(settings.map(([, { variable }]) => variable));
  const demo = parseSwitch(env['npm_config_demo'] ?? '') === true;
  const config = { demo, warnings: settingWarnings(env, variables) } as Config;
  for (const [name, { variable, fallback, parse, rule }] of settings) {
    const text = env[variable]?.trim() || (typeof fallback === 'function' ? fallback(config) : fallback);
    const value = text === undefined ? null : parse(text);
    if (value === undefined) faults.push(`${variable} ${typeof rule === 'string' ? rule : rule(text ?? '')}`);
    Object.assign(config, { [name]: value ?? undefined });
  }
  faults.push(...contradictions(config));
  if (faults.length > 0) throw new ConfigError([...faults, ...config.warnings]);
  return config;
}

/** Finds values that are valid alone but contradict each other. */
function contradictions(config: Config): string[] {
  const { production, demoKeys, databaseUrl, searchIndex, port, metricsPort, logKey, logWitnesses } = config;
  const faults: string[] = [];
  if (config.publisherName === undefined && (config.publisherNameEn ?? config.publisherUrl) !== undefined)
    faults.push('PUBLISHER_NAME must be set if PUBLISHER_NAME_EN or PUBLISHER_URL is');
  if (production && demoKeys) faults.push('DEMO_KEYS is refused with NODE_ENV=production: anyone knows these keys');
  if (searchIndex !== undefined && databaseUrl === `sqlite:${searchIndex}`)
    faults.push('SEARCH_INDEX must be another file than that of DATABASE_URL');
  if (metricsPort !== undefined && metricsPort !== 0 && metricsPort === port)
    faults.push('METRICS_PORT must be another port than PORT: metrics are not public');
  if (logWitnesses !== '' && logKey === undefined)
    faults.push('LOG_WITNESSES needs LOG_KEY: without a key there is no log that they countersign');
  return faults;
}

/** The default path of a file derived from the database: next to the SQLite file, or with a server in `data/`. */
function pathNextToDatabase(databaseUrl: string, name: string): string {
  const address = parseDatabaseUrl(databaseUrl ?? '');
  if (address?.kind !== 'sqlite') return `data/${name}`;
  return `${address.path.replace(/\.sqlite$/, '')}.${name}`;
}
