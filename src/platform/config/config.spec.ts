import { describe, expect, it } from '@jest/globals';
import { ConfigError, loadConfig } from './config.js';
import { TIME_BUDGETS_MS } from './time-budgets.js';

const PRODUCTION = { NODE_ENV: 'production', DATABASE_URL: 'sqlite:data/registry.sqlite' };

function faultsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults.map((fault) => fault.split(' ')[0] ?? '');
  }
}

describe('loadConfig', () => {
  it('has a default for everything', () => {
    expect(loadConfig({})).toEqual({
      accountBytesPerDay: Infinity,
      host: '127.0.0.1',
      port: 8080,
      databaseUrl: 'sqlite:data/registry.sqlite',
      production: false,
      demoKeys: true,
      demo: false,
      publicUrl: undefined,
      timeZone: 'Europe/Kyiv',
      assetIdPrefix: 'UA',
      assetTypes: [],
      modules: [],
      searchIndex: 'data/registry.search.sqlite',
      snapshotFolder: 'data/registry.snapshots',
      bodyLimit: 262_144,
      logKey: undefined,
      logWitnesses: '',
      logLevel: 'info',
      metricsPort: undefined,
      metricsHost: '127.0.0.1',
      clusterServerId: undefined,
      rateLimit: false,
      readRate: { perSecond: 50, burst: 200 },
      writeRate: { perSecond: 20, burst: 100 },
      refusedKeyRate: { perSecond: 0.17, burst: 10 },
      trustProxy: [],
      clockMaxJumpMs: 400 * 86_400_000,
      clockMaxStepMs: 1_000,
      diskReserve: 256 * 1024 * 1024,
      drainDelayMs: 0,
      warnings: [],
    });
  });

  it('has no default for DATABASE_URL in production, and suggests the intended variable', () => {
    expect(() => loadConfig({ NODE_ENV: 'production', DATABSE_URL: 'sqlite:a.sqlite' })).toThrow(
      /- DATABASE_URL must be set with NODE_ENV=production.*\n.*- DATABSE_URL is not a setting .*: did you mean DATABASE_URL\?$/,
    );
    expect(faultsOf({ NODE_ENV: 'production', DATABASE_URL: ' ' })).toEqual(['DATABASE_URL']);
  });

  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['TIMEZONE', 'TIME_ZONE'],
    ['TRUSTED_PROXY', 'TRUST_PROXY'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['PROT', 'PORT'],
  ])('warns of %s, similar to %s, without its value', (name, meant) => {
    const [warning, ...others] = loadConfig({ [name]: 'secret' }).warnings;
    expect([warning, others]).toEqual([`${name} is not a setting and is ignored: did you mean ${meant}?`, []]);
  });

  it('does not warn of settings, usual variables of systems, or an empty one', () => {
    const usual = `HOSTNAME HOSTTYPE HOME PATH PWD OLDPWD SHELL SHLVL USER LOGNAME LANG TERM TZ TMPDIR MAIL EDITOR PAGER
      COLOR NODE NODE_PATH NODE_OPTIONS NODE_EXTRA_CA_CERTS HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy no_proxy CI DEBUG
      INIT_CWD npm_config_cache npm_package_name PORT_HTTP PORT_1 REGISTRY_PORT REGISTRY_SERVICE_HOST KUBERNETES_PORT
      DATABASE_HOST DATABASE_NAME DATABASE_USER DATABASE_PORT INVOCATION_ID JOURNAL_STREAM LISTEN_FDS`.split(/\s+/);
    const env = Object.fromEntries([...usual, 'ASSET_TYPES'].map((name) => [name, 'x']));
    expect(loadConfig({ ...env, DATABSE_URL: '' }).warnings).toEqual([]);
  });

  it('warns of a setting of an earlier version, with what to do instead', () =>
    expect(loadConfig({ WORKERS: '4' }).warnings).toEqual([
      'WORKERS is no longer a setting and is ignored: a service is one process; for more, start several behind a proxy (docs/production.md)',
    ]));

  it.each([
    ['sqlite:/var/lib/registry.sqlite', undefined, '/var/lib/registry.search.sqlite'],
    ['mysql://u@one/registry', undefined, 'data/search.sqlite'],
    ['mysql://u@one/registry', '/var/index.sqlite', '/var/index.sqlite'],
    ['sqlite:data/registry.sqlite', 'off', undefined],
  ])('with the database %s and SEARCH_INDEX %s has the index %s', (databaseUrl, text, expected) => {
    const env = { DATABASE_URL: databaseUrl, ...(text !== undefined && { SEARCH_INDEX: text }) };
    expect(loadConfig(env).searchIndex).toBe(expected);
  });

  it.each(['on', '/etc/passwd', 'index.db'])('refuses SEARCH_INDEX=%s', (text) =>
    expect(faultsOf({ SEARCH_INDEX: text })).toEqual(['SEARCH_INDEX']),
  );

  it.each([
    ['sqlite:/var/lib/registry.sqlite', undefined, '/var/lib/registry.snapshots'],
    ['mysql://u@one/registry', undefined, 'data/snapshots'],
  ])('with the database %s and SNAPSHOT_FOLDER %s has the folder %s', (databaseUrl, text, expected) => {
    const env = { DATABASE_URL: databaseUrl, ...(text !== undefined && { SNAPSHOT_FOLDER: text }) };
    expect(loadConfig(env).snapshotFolder).toBe(expected);
  });

  it.each(['-1', '86401', '1h', '1.5'])('refuses SNAPSHOT_MAX_AGE=%s', (text) =>
    expect(faultsOf({ SNAPSHOT_MAX_AGE: text })).toEqual(['SNAPSHOT_MAX_AGE']),
  );

  it('reads the maximum age of snapshots, in milliseconds', () =>
    expect(['0', '86400'].map((age) => loadConfig({ SNAPSHOT_MAX_AGE: age }).snapshotMaxAgeMs)).toEqual([
      0, 86_400_000,
    ]));

  it('refuses the database as its own index', () =>
    expect(faultsOf({ DATABASE_URL: 'sqlite:a.sqlite', SEARCH_INDEX: 'a.sqlite' })).toEqual(['SEARCH_INDEX']));

  it('limits clients in production, unless that is switched off', () => {
    expect(loadConfig(PRODUCTION).rateLimit).toBe(true);
    expect(loadConfig({ ...PRODUCTION, RATE_LIMIT: 'off' }).rateLimit).toBe(false);
  });

  it('limits the bytes that an account may store per day in production, unless that is switched off', () => {
    const bytes = (env: Record<string, string>): number => loadConfig(env).accountBytesPerDay;
    expect(bytes({})).toBe(Infinity);
    expect(bytes(PRODUCTION)).toBe(2 ** 30);
    expect(bytes({ ...PRODUCTION, ACCOUNT_BYTES_PER_DAY: 'off' })).toBe(Infinity);
    expect(faultsOf({ ACCOUNT_BYTES_PER_DAY: '1000kb' })).toEqual(['ACCOUNT_BYTES_PER_DAY']);
  });

  it.each(['5', '5/0', '1/2/3', '1.5/2.5'])('refuses the rate %s', (rate) => {
    const names = ['RATE_LIMIT_READS', 'RATE_LIMIT_WRITES', 'RATE_LIMIT_REFUSED_KEYS'];
    expect(faultsOf(Object.fromEntries(names.map((name) => [name, rate])))).toEqual(names);
  });

  it('reads a list of trusted networks', () => {
    expect(loadConfig({ TRUST_PROXY: '10.0.0.0/8, ::1' }).trustProxy).toEqual(['10.0.0.0/8', '::1']);
    expect(faultsOf({ TRUST_PROXY: 'true' })).toEqual(['TRUST_PROXY']);
    expect(faultsOf({ TRUST_PROXY: '10.0.0.0/99' })).toEqual(['TRUST_PROXY']);
  });

  it.each(['127.1', '010.0.0.0/8', '0x7f.1', '::/0', '10.0.0.0/8,1'])(
    'takes %s for no trusted network: it would mean another one, or stop the service without a sentence',
    (list) => expect(faultsOf({ TRUST_PROXY: list })).toEqual(['TRUST_PROXY']),
  );

  it.each([
    ['0.5MB', 0.5 * 1024 * 1024],
    ['64 kb', 64 * 1024],
    ['2048', 2048],
  ])('reads the size %s', (text, bytes) => expect(loadConfig({ BODY_LIMIT: text }).bodyLimit).toBe(bytes));

  it('reads a list of packages with asset types, and refuses paths', () => {
    expect(loadConfig({ ASSET_TYPES: '@team/registry-land, ship,' }).assetTypes).toEqual([
      '@team/registry-land',
      'ship',
    ]);
    for (const list of ['../land', '/land', 'file:land', '@team', '@team/a/b', 'a,a'])
      expect(faultsOf({ ASSET_TYPES: list })).toEqual(['ASSET_TYPES']);
  });

  it('keeps listening for 3 s in production, or for the set time', () => {
    expect(loadConfig(PRODUCTION).drainDelayMs).toBe(3_000);
    expect(loadConfig({ DRAIN_DELAY: '0.5' }).drainDelayMs).toBe(500);
    for (const delay of ['13', '-1', '5s']) expect(faultsOf({ DRAIN_DELAY: delay })).toEqual(['DRAIN_DELAY']);
  });

  it('leaves the last request during the delay the time of an answer', () => {
    const { answer, drain } = TIME_BUDGETS_MS;
    const { drainDelayMs } = loadConfig({ DRAIN_DELAY: '12.5' });
    expect(drainDelayMs + answer).toBeLessThanOrEqual(drain);
  });

  it('trusts a clock that is a day ahead in production, or by the set time', () => {
    expect(loadConfig(PRODUCTION).clockMaxJumpMs).toBe(86_400_000);
    expect(loadConfig({ CLOCK_MAX_JUMP: '90m' }).clockMaxJumpMs).toBe(90 * 60_000);
    expect(loadConfig({ CLOCK_MAX_STEP: '12h' }).clockMaxStepMs).toBe(12 * 3_600_000);
    for (const span of ['1', '0s', '1.5s', '-1s', '1 s', '1w', '100000d'])
      expect(faultsOf({ CLOCK_MAX_JUMP: span, CLOCK_MAX_STEP: span })).toEqual(['CLOCK_MAX_JUMP', 'CLOCK_MAX_STEP']);
  });

  it.each(['a b', 'a;b', 'x'.repeat(65)])('refuses %j as the name of a server', (name) => {
    expect(faultsOf({ CLUSTER_SERVER_ID: name })).toEqual(['CLUSTER_SERVER_ID']);
  });

  it('has no demo keys in production, and refuses them', () => {
    expect(loadConfig(PRODUCTION).demoKeys).toBe(false);
    expect(faultsOf({ ...PRODUCTION, DEMO_KEYS: 'on' })).toEqual(['DEMO_KEYS']);
  });

  it.each([
    ['production\r', true],
    ['test', false],
  ])('reads NODE_ENV=%j', (text, expected) => {
    expect(loadConfig({ ...PRODUCTION, NODE_ENV: text }).production).toBe(expected);
  });

  it.each(['prod', 'Production'])('refuses NODE_ENV=%s, which would have demo keys', (text) =>
    expect(faultsOf({ NODE_ENV: text })).toEqual(['NODE_ENV']),
  );

  it.each([
    ['true', true],
    ['', false],
    ['8090', false],
  ])('knows by npm_config_demo=%s whether "npm start --demo" was typed', (text, expected) =>
    expect(loadConfig({ npm_config_demo: text }).demo).toBe(expected),
  );

  it('serves metrics on a separate port, or not at all', () => {
    expect(loadConfig({ METRICS_PORT: '9464' }).metricsPort).toBe(9464);
    expect(loadConfig({ METRICS_PORT: '0', PORT: '0' }).metricsPort).toBe(0);
    expect(faultsOf({ METRICS_PORT: '8080' })).toEqual(['METRICS_PORT']);
    expect(faultsOf({ METRICS_PORT: '65536' })).toEqual(['METRICS_PORT']);
  });

  it('refuses witnesses without a log', () => {
    const env = { LOG_WITNESSES: 'witness.example+0+0 https://witness.example' };
    expect(faultsOf(env)).toEqual(['LOG_WITNESSES']);
    expect(faultsOf({ ...env, LOG_KEY: ' ' })).toEqual(['LOG_WITNESSES']);
    expect(faultsOf({ ...env, LOG_KEY: 'log.key' })).toEqual([]);
  });

  it('removes the trailing slash of PUBLIC_URL', () => {
    expect(loadConfig({ PUBLIC_URL: 'https://registry.example/base/' }).publicUrl).toBe(
      'https://registry.example/base',
    );
  });

  it('reads the URL of a map search, with the address after the host', () => {
    for (const url of ['https://map.example/?q={address}', 'http://map.example:81/search/{address}?z=17'])
      expect(loadConfig({ MAP_SEARCH_URL: url }).mapSearchUrl).toBe(url);
    expect(loadConfig({}).mapSearchUrl).toBeUndefined();
    for (const url of [
      'https://map.example/',
      'https://map.example/?q={address}&r={address}',
      'https://{address}.example/',
      'https://map.example{address}',
      'javascript:alert({address})//',
      'https://map.example/ {address}',
    ])
      expect(faultsOf({ MAP_SEARCH_URL: url })).toEqual(['MAP_SEARCH_URL']);
  });

  it('reads the URL of lots, with the id after the host', () => {
    const url = 'https://lots.example/auction/{id}?lang=uk';
    expect(loadConfig({ LOT_URL: url }).lotUrl).toBe(url);
    expect(loadConfig({}).lotUrl).toBeUndefined();
    for (const wrong of ['https://lots.example/', 'https://{id}.example/', 'https://lots.example/{address}'])
      expect(faultsOf({ LOT_URL: wrong })).toEqual(['LOT_URL']);
  });

  describe('the publisher of the registry', () => {
    it.each([
      ['PUBLISHER_CONTACT', 'registry@example.org', { publisherContact: 'mailto:registry@example.org' }],
      ['SECURITY_CONTACT', 'https://example.org/report', { securityContact: 'https://example.org/report' }],
      ['LICENCE', 'CC-BY-4.0', { licence: { name: 'CC-BY-4.0', url: 'https://creativecommons.org/licenses/by/4.0/' } }],
      [
        'LICENCE',
        'https://example.org/licence',
        { licence: { name: 'https://example.org/licence', url: 'https://example.org/licence' } },
      ],
      ['TERMS_URL', 'https://example.org/terms?x#1', { termsUrl: 'https://example.org/terms?x#1' }],
      ['UPDATE_FREQUENCY', 'daily', { updateFrequency: 'daily' }],
    ])('reads %s=%s', (name, value, expected) => expect(loadConfig({ [name]: value })).toMatchObject(expected));

    it.each([
      ['PUBLISHER_NAME', 'x'.repeat(201)],
      ['PUBLISHER_NAME', 'one\nother'],
      ['PUBLISHER_CONTACT', 'registry'],
      ['PUBLISHER_CONTACT', 'http://example.org/'],
      ['PUBLISHER_CONTACT', 'a@b.example?cc=c@d.example'],
      ['SECURITY_CONTACT', 'mailto:registry@example.org'],
      ['LICENCE', 'CC-BY'],
      ['LICENCE', 'javascript:alert(1)'],
      ['TERMS_URL', 'https://user:secret@example.org/'],
      ['TERMS_URL', `https://example.org/${'x'.repeat(300)}`],
      ['UPDATE_FREQUENCY', 'often'],
      ['UPDATE_FREQUENCY', 'toString'],
    ])('is refused as %s=%s', (name, value) => expect(faultsOf({ [name]: value })).toEqual([name]));

    it.each([
      ['PUBLISHER_NAME_EN', 'Agency'],
      ['PUBLISHER_URL', 'https://example.org/'],
    ])('needs PUBLISHER_NAME if %s is set', (name, value) => {
      expect(faultsOf({ [name]: value })).toEqual(['PUBLISHER_NAME']);
      expect(faultsOf({ [name]: value, PUBLISHER_NAME: 'Агентство' })).toEqual([]);
    });
  });

  it('treats an empty variable as unset', () => {
    expect(loadConfig({ PORT: '', PUBLIC_URL: ' ', TIME_ZONE: '' })).toEqual(loadConfig({}));
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '80x'],
    ['DATABASE_URL', 'postgres://x/y'],
    ['DEMO_KEYS', 'maybe'],
    ['PUBLIC_URL', 'registry.example'],
    ['PUBLIC_URL', 'ftp://registry.example'],
    ['PUBLIC_URL', 'https://registry.example/?'],
    ['PUBLIC_URL', 'https://registry.example/#'],
    ['PUBLIC_URL', 'https://user:secret@registry.example'],
    ['TIME_ZONE', 'Europe/Atlantis'],
    ['ASSET_ID_PREFIX', 'UA-'],
    ['ASSET_ID_PREFIX', 'UA--AR'],
    ['ASSET_ID_PREFIX', 'UA-AR-DGF-KYIV-17'],
    ['BODY_LIMIT', '99gb'],
    ['BODY_LIMIT', '2048MiB'],
    ['LOG_LEVEL', 'loud'],
  ])('refuses %s=%s by its name', (name, value) => expect(faultsOf({ [name]: value })).toEqual([name]));

  it('reports all faults at once, and never a value', () => {
    const env = { PORT: 'secret', DATABASE_URL: 'mysql://user:secret@', TIME_ZONE: 'secret' };
    expect(faultsOf(env)).toEqual(['DATABASE_URL', 'PORT', 'TIME_ZONE']);
    expect(() => loadConfig(env)).toThrow(/^(?!.*secret)/s);
  });
});
