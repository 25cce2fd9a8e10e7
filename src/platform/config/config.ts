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
  keepDatabaseUrl,
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

/** What a variable has to be; or what is wrong with a value, without the value. */
type Rule = string | ((text: string) => string | undefined);

/** What a default may depend on. */
interface Circumstances {
  production: boolean;
  databaseUrl: string;
}

/** One variable of the environment. */
interface Setting<T> {
  variable: string;
  /** Read where the variable is not set, or empty; without it the value is undefined then. */
  fallback: string | undefined | ((known: Circumstances) => string);
  /** @returns undefined where the text breaks the rule; null for a value that is undefined in the configuration */
  parse: (text: string) => T | null | undefined;
  rule: Rule;
}

function setting<T>(
  variable: string,
  fallback: string | ((known: Circumstances) => string),
  parse: (text: string) => T | null | undefined,
  rule: Rule,
): Setting<T> {
  return { variable, fallback, parse, rule };
}

/** For a variable that may be left out. */
function optional<T>(variable: string, parse: (text: string) => T | undefined, rule: Rule): Setting<T | undefined> {
  return { variable, fallback: undefined, parse, rule };
}

const anyText = (text: string): string => text;
const SWITCH_RULE = 'is 1, on, 0 or off';
const PORT_RULE = 'is a port number from 0 to 65535';
const LOG_LEVEL_RULE = `is one of ${LOG_LEVELS.join(', ')}`;
const inProduction =
  (text: string, otherwise: string) =>
  ({ production }: Circumstances): string =>
    production ? text : otherwise;
const beside =
  (name: string) =>
  ({ databaseUrl }: Circumstances): string =>
    besideDatabase(databaseUrl, name);

/** In production there is no default: with a misspelt name, an empty registry would be served instead of the real one. */
const UNSET =
  'has to be set with NODE_ENV=production, to sqlite:<path of a file> or mysql://user:password@host:port/database';

/** In the order in which they are read. Source: contract section 10. */
const SETTINGS = {
  production: setting('NODE_ENV', 'development', parseProduction, PRODUCTION_RULE),
  databaseUrl: setting('DATABASE_URL', inProduction('', 'sqlite:data/registry.sqlite'), keepDatabaseUrl, (text) =>
    text === '' ? UNSET : databaseUrlFault(text),
  ),
  host: setting('HOST', '127.0.0.1', anyText, ''),
  port: setting('PORT', '8080', parsePort, PORT_RULE),
  demoKeys: setting('DEMO_KEYS', inProduction('0', '1'), parseSwitch, SWITCH_RULE),
  /** Base of absolute links without a trailing slash; undefined means the request's Host header. */
  publicUrl: optional('PUBLIC_URL', parsePublicUrl, PUBLIC_URL_RULE),
  /** A search of addresses on a map of another site, with `{address}` in the place of one; undefined: addresses are no links. */
  mapSearchUrl: optional('MAP_SEARCH_URL', parseUrlTemplate('address'), urlTemplateRule('address')),
  /** Page of a lot on the site that sells it, with `{id}` for the lot's id; undefined: lots are no links. */
  lotUrl: optional('LOT_URL', parseUrlTemplate('id'), urlTemplateRule('id')),
  /** Who answers for the registry. */
  publisherName: optional('PUBLISHER_NAME', parseName, NAME_RULE),
  /** The same on English pages; undefined: the same name. */
  publisherNameEn: optional('PUBLISHER_NAME_EN', parseName, NAME_RULE),
  publisherUrl: optional('PUBLISHER_URL', parseWebUrl, WEB_URL_RULE),
  /** Where people ask about the data: a `mailto:` or `https:` URI. */
  publisherContact: optional('PUBLISHER_CONTACT', parseContact, CONTACT_RULE),
  /** Where faults in security are reported: such a URI; undefined: that of the publisher. */
  securityContact: optional('SECURITY_CONTACT', parseContact, CONTACT_RULE),
  /** The licence of the data. */
  licence: optional('LICENCE', parseLicence, LICENCE_RULE),
  termsUrl: optional('TERMS_URL', parseWebUrl, WEB_URL_RULE),
  updateFrequency: optional('UPDATE_FREQUENCY', parseFrequency, FREQUENCY_RULE),
  /** IANA name of the registry's time zone. */
  timeZone: setting('TIME_ZONE', 'Europe/Kyiv', parseTimeZone, 'is an IANA time zone such as Europe/Kyiv'),
  assetIdPrefix: setting(
    'ASSET_ID_PREFIX',
    'UA',
    parsePrefix,
    'is 1 to 16 letters and digits, with single hyphens between them, such as UA-AR-DGF',
  ),
  /** npm packages that bring asset types. */
  assetTypes: setting('ASSET_TYPES', '', parsePackages, PACKAGES_RULE),
  /** npm packages that bring a module of Nest each. */
  modules: setting('MODULES', '', parsePackages, PACKAGES_RULE),
  /** File of the search index; undefined: search is off. */
  searchIndex: setting<string | undefined>(
    'SEARCH_INDEX',
    beside('search.sqlite'),
    parseSearchIndex,
    SEARCH_INDEX_RULE,
  ),
  /** Folder of the snapshots of the feed. */
  snapshotFolder: setting('SNAPSHOT_FOLDER', beside('snapshots'), anyText, ''),
  /** How old a snapshot may be to be sent, in milliseconds; undefined: that depends on its size. */
  snapshotMaxAgeMs: optional('SNAPSHOT_MAX_AGE', parseMaxAge, 'is a number of seconds from 0 to 86400'),
  /** Largest request body, in bytes. */
  bodyLimit: setting('BODY_LIMIT', '256kb', parseBytes, 'is a size such as 256kb, from 1kb to 1mb'),
  /** Where metrics are served; undefined: nowhere. */
  metricsPort: optional('METRICS_PORT', parsePort, PORT_RULE),
  metricsHost: setting('METRICS_HOST', '127.0.0.1', anyText, ''),
  /** This server's name in cluster mode; undefined: off. */
  clusterServerId: optional('CLUSTER_SERVER_ID', parseServerId, 'is 1 to 64 letters, digits and . _ -'),
  /** Whether rate limits are on. */
  rateLimit: setting('RATE_LIMIT', inProduction('1', '0'), parseSwitch, SWITCH_RULE),
  /** The limit of reads, by address. */
  readRate: setting('RATE_LIMIT_READS', '50/200', parseRate, RATE_RULE),
  /** The limit of writes, by account. */
  writeRate: setting('RATE_LIMIT_WRITES', '20/100', parseRate, RATE_RULE),
  /** The limit of refused keys, by address. */
  refusedKeyRate: setting('RATE_LIMIT_REFUSED_KEYS', '0.17/10', parseRate, RATE_RULE),
  /** What the changes of one account may have stored in a day, in bytes; Infinity: as much as it likes. */
  accountBytesPerDay: setting('ACCOUNT_BYTES_PER_DAY', inProduction('1gb', 'off'), parseDailyBytes, DAILY_BYTES_RULE),
  /** What of the disk under an SQLite file the service leaves free, in bytes. */
  diskReserve: setting('DISK_RESERVE', '256mb', parseReserve, RESERVE_RULE),
  /** Networks of proxies that are believed what they say of the client's address and protocol. */
  trustProxy: setting('TRUST_PROXY', '', parseNetworks, 'is a list of networks such as 10.0.0.0/8,fd00::/8'),
  /** How far the clock may be ahead of the time at which the registry was last at work, when it starts; in milliseconds. */
  clockMaxJumpMs: setting('CLOCK_MAX_JUMP', inProduction('1d', '400d'), parseSpan, SPAN_RULE),
  /** How far it may be from the database server's clock, behind the last instant, or off by a step while the service runs; in milliseconds. */
  clockMaxStepMs: setting('CLOCK_MAX_STEP', '1s', parseSpan, SPAN_RULE),
  /** How long the service goes on listening after it was told to end, so that balancers notice; in milliseconds. */
  drainDelayMs: setting('DRAIN_DELAY', inProduction('3', '0'), parseDrainDelay, DRAIN_DELAY_RULE),
  /** Private key of the log of public states: a file, or its text; undefined: there is no log. */
  logKey: optional('LOG_KEY', anyText, ''),
  /** The witnesses that countersign the log: pairs of a verifier key and a URL. */
  logWitnesses: setting('LOG_WITNESSES', '', anyText, ''),
  logLevel: setting('LOG_LEVEL', 'info', parseLogLevel, LOG_LEVEL_RULE),
};

type Settings = { [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name] extends Setting<infer T> ? T : never };

/** The settings of the service, read once at start. */
export interface Config extends Settings {
  /** Whether `npm start --demo` was typed: without `--` before it, npm keeps the option for itself and tells it in the environment. */
  demo: boolean;
  /** Variables that look like settings and are ignored, a sentence each. */
  warnings: string[];
}

/** Who answers for the registry, and under which terms, as far as the operator has said. */
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

/** Values that are valid alone and contradict each other. */
function contradictions(config: Config): string[] {
  const { production, demoKeys, databaseUrl, searchIndex, port, metricsPort, logKey, logWitnesses } = config;
  const faults: string[] = [];
  if (config.publisherName === undefined && (config.publisherNameEn ?? config.publisherUrl) !== undefined)
    faults.push('PUBLISHER_NAME has to be set with PUBLISHER_NAME_EN and PUBLISHER_URL');
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
