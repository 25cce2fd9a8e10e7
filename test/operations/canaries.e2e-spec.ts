import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runSql } from '../support/rows.js';
import { ASSETS, assetBody } from '../support/assets.js';
import { dumpOf, canariesIn } from '../support/canaries.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabase, type TestDatabaseKind } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { ServiceProcess } from '../support/process.js';
import { exchange } from '../support/raw-socket.js';
import { TcpProxy } from '../support/tcp-proxy.js';

/*
 * One run with a different secret in every place that can contain one, in requests that succeed and in requests that fail. Then
 * everything that the service has written is searched for them; the name of a found secret says where it leaked from.
 */

/** Secrets that must appear nowhere. The service's own key and tokens are added when they are created. */
const SECRETS: Record<string, string> = {
  'a wrong key': 'canary-wrong-key-5d1c',
  'a key that looks right': `ark_canary${'Wr0ngKey'.repeat(4)}7a`,
  'the password of Basic': 'canary-password-c401',
  'acc_token of the query': 'canary-parameter-e93b',
  'X-Access-Token': 'canary-header-token-27f6',
  'access.token of the body': 'canary-body-token-b8a2',
  'access.transfer of the body': 'canary-transfer-code-61c9',
  'Idempotency-Key': 'canary-idempotency-key-90de',
  'an unknown header': 'canary-cookie-1f2a',
};

/** Links to the next page repeat it by contract; it may appear nowhere else. */
const LINKED: Record<string, string> = { 'an unknown parameter': 'canary-unknown-parameter-6b3c' };

/** Texts that only the database and answers may contain. */
const BODY_TEXT: Record<string, string> = {
  'a title': 'canary-title-44c0',
  'a later title': 'canary-later-title-aa17',
  'a title of a dry run': 'canary-dry-run-title-58e1',
  'the name of a rogue field': 'canary-rogue-field-d2d2',
  'a body that is not JSON': 'canary-malformed-body-3e9f',
};

const LINE_MEMBERS = [
  'level',
  'time',
  'requestId',
  'client',
  'method',
  'path',
  'route',
  'account',
  'status',
  'answered',
  'ms',
];

interface Request {
  method?: string;
  path?: string;
  authorization?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Without acc_token, which would go before the other places of the token. */
  plain?: boolean;
}

const basicOf = (key: string): string =>
  `Basic ${Buffer.from(`${key}:${SECRETS['the password of Basic']}`).toString('base64')}`;

/** Renames a table under the running service: statements fail as no request could make them fail, with their values in the error. */
function rename(databaseUrl: string, from: string, to: string): Promise<unknown> {
  return runSql({ databaseUrl }, `ALTER TABLE ${from} RENAME TO ${to}`);
}

/** Everything that a run has written, by place. */
interface Written {
  statuses: Set<number>;
  /** Heads and bodies of all answers, without the owner tokens that POST returns by contract. */
  answers: string;
  /** Standard output and standard error. */
  console: string;
  metrics: string;
  /** Files and rows of the service and the database. */
  dump: string;
  secrets: Record<string, string>;
}

class Run {
  private readonly answers: string[] = [];
  private readonly statuses = new Set<number>();
  private service!: ServiceProcess;
  private key = '';
  private readonly tokens: string[] = [];
  /** For a transfer code, with the right owner token. */
  private asking: Request = {};
  private proxy: TcpProxy | undefined;

  constructor(
    private readonly kind: TestDatabaseKind,
    private readonly database: TestDatabase,
  ) {}

  async run(): Promise<Written> {
    let databaseUrl = this.database.url;
    await migrate(databaseUrl);
    if (this.kind.name !== 'SQLite') {
      this.proxy = new TcpProxy(new URL(databaseUrl));
      databaseUrl = await this.proxy.open();
    }
    const words = ['key', 'create', '--account', 'watched', '--role', 'broker'];
    this.key = /ark_\S+/.exec((await command(words, { DATABASE_URL: databaseUrl })).output)?.[0] ?? '';
    this.service = await ServiceProcess.start({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'trace', METRICS_PORT: '0' });
    await this.succeed();
    await this.fail();
    await this.breakOff();
    await this.meetDefects();
    await this.missDatabase();
    return await this.end();
  }

  /** @returns the JSON of the answer */
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies of many shapes
  private async send(request: Request): Promise<any> {
    const { method = 'POST', path = ASSETS, authorization, headers = {}, body, plain } = request;
    const token = plain ? '' : `&acc_token=${SECRETS['acc_token of the query']}`;
    const query = `secret=${LINKED['an unknown parameter']}${token}`;
    const {
      status,
      headers: received,
      text,
      json,
    } = await this.service.send(`${path}${path.includes('?') ? '&' : '?'}${query}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        Cookie: `session=${SECRETS['an unknown header']}`,
        Authorization: authorization ?? basicOf(this.key),
        ...headers,
      },
      body,
    });
    this.statuses.add(status);
    this.answers.push(
      JSON.stringify([...received]),
      text.replace(/^\{"access":\{"(?:token|transfer)":"[0-9a-f]{32}"\},/, '{'),
    );
    if (json?.access !== undefined) this.tokens.push(json.access.token ?? json.access.transfer);
    return json;
  }

  private async succeed(): Promise<void> {
    const headers = { 'Idempotency-Key': SECRETS['Idempotency-Key'] as string };
    const body = JSON.stringify(assetBody({ title: BODY_TEXT['a title'] }));
    const { data } = await this.send({ headers, body });
    await this.send({ headers, body });
    const [token] = this.tokens;
    const path = `${ASSETS}/${data.id}`;
    this.asking = { path: `${path}/transfer`, headers: { 'X-Access-Token': token as string }, body: '{}', plain: true };
    expect((await this.send(this.asking)).access.transfer).toMatch(/./);
    const later = { data: { title: BODY_TEXT['a later title'], status: 'pending' }, access: { token } };
    // An empty acc_token leaves the right to the header, and that to the body.
    await this.changeWith(`${path}?acc_token=${token}`, { data: { title: 'by the query' } });
    await this.changeWith(path, { data: { title: 'by the header' } }, { 'X-Access-Token': token as string });
    await this.changeWith(path, later);
    const dryRun = assetBody({ title: BODY_TEXT['a title of a dry run'] });
    await this.send({ path: `${ASSETS}?dry_run=1`, body: JSON.stringify(dryRun) });
    await this.changeWith(`${path}?dry_run=1`, { ...dryRun, access: { token } });
    for (const read of [
      path,
      ASSETS,
      `${ASSETS}?opt_fields=*&limit=1`,
      '/api/0.1/spore',
      '/health/ready',
      '/health/live',
    ])
      await this.send({ method: 'GET', path: read });
  }

  /** With no token but those it is given. */
  private async changeWith(path: string, body: object, headers: Record<string, string> = {}): Promise<void> {
    const sent = { method: 'PATCH', headers: { Authorization: `Bearer ${this.key}`, ...headers }, body };
    const reply = await this.service.send(path, sent);
    expect(reply.status).toBe(200);
    this.answers.push(JSON.stringify([...reply.headers]), reply.text);
  }

  private async fail(): Promise<void> {
    const good = JSON.stringify(assetBody());
    for (const authorization of [
      basicOf(SECRETS['a wrong key'] as string),
      `Bearer ${SECRETS['a key that looks right']}`,
      `Bearer ${this.key}x`,
      `Nonsense ${SECRETS['a wrong key']}`,
    ])
      await this.send({ authorization, body: good });
    const { data } = await this.send({ body: good });
    const path = `${ASSETS}/${data.id}`;
    const access = { token: SECRETS['access.token of the body'] };
    const wrongHeader = { 'X-Access-Token': SECRETS['X-Access-Token'] as string };
    const withAccess = JSON.stringify({ data: {}, access });
    await this.send({ method: 'PATCH', path, headers: wrongHeader, body: withAccess });
    await this.send({ method: 'PATCH', path, headers: wrongHeader, body: withAccess, plain: true });
    await this.send({ method: 'PATCH', path, body: withAccess, plain: true });
    const transfer = SECRETS['access.transfer of the body'];
    await this.send({ path: `${path}/ownership`, body: JSON.stringify({ access: { transfer } }) });
    await this.send({ body: `{"data": "${BODY_TEXT['a body that is not JSON']}` });
    await this.send({
      body: JSON.stringify({ data: { [BODY_TEXT['the name of a rogue field'] as string]: 1 }, access }),
    });
    const key = SECRETS['Idempotency-Key'] as string;
    await this.send({ headers: { 'Idempotency-Key': key }, body: good });
    await this.send({ headers: { 'Idempotency-Key': `${key} ${key}` }, body: good });
    await this.send({ headers: { 'Content-Type': `text/${SECRETS['a wrong key']}` }, body: good });
    await this.send({ method: 'GET', path: `${ASSETS}?offset=${SECRETS['a wrong key']}` });
    await this.send({ method: 'GET', path: '/nowhere' });
  }

  private async breakOff(): Promise<void> {
    const [query, header] = [SECRETS['acc_token of the query'], SECRETS['X-Access-Token']];
    const [wrongKey, idempotencyKey] = [SECRETS['a wrong key'], SECRETS['Idempotency-Key']];
    for (const head of [
      `GET ${ASSETS}?acc_token=${query} HTTP/9.9\r\nAuthorization: ${basicOf(this.key)}\r\n\r\n`,
      `POST ${ASSETS} HTTP/1.1\r\nHost: x\r\nX-Access-Token ${header}\r\n\r\n`,
      `GET ${ASSETS} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basicOf(this.key)}\r\nAuthorization: b\r\nConnection: close\r\n\r\n`,
      `POST ${ASSETS} HTTP/1.1\r\nHost: x\r\nIdempotency-Key: ${idempotencyKey}\r\nTransfer-Encoding: chunked\r\n\r\n${wrongKey}\r\n`,
    ]) {
      const [reply] = await exchange(this.service.url, head);
      this.answers.push(JSON.stringify([...(reply?.headers ?? [])]), reply?.text ?? '');
      this.statuses.add(reply?.status ?? 0);
    }
  }

  private async meetDefects(): Promise<void> {
    const headers = { 'Idempotency-Key': `${SECRETS['Idempotency-Key']}-2` };
    const body = JSON.stringify(assetBody({ title: BODY_TEXT['a title'] }));
    for (const table of ['asset', 'api_key', 'asset_sequence', 'receipt', 'transfer_code']) {
      await rename(this.database.url, table, 'gone');
      await this.send({ headers, body });
      await this.send(this.asking);
      await this.send({ method: 'GET', path: ASSETS });
      await this.send({ method: 'GET', path: '/health/ready' });
      await rename(this.database.url, 'gone', table);
    }
  }

  private async missDatabase(): Promise<void> {
    if (this.proxy === undefined) return;
    await this.proxy.close();
    const body = JSON.stringify(assetBody({ title: BODY_TEXT['a title'] }));
    await this.send({ body });
    await this.send({ method: 'GET', path: ASSETS });
    await this.send({ method: 'GET', path: '/health/ready' });
    await this.proxy.open();
  }

  private async end(): Promise<Written> {
    const metricsUrl = /http:[^"]*\/metrics/.exec(this.service.output())?.[0] as string;
    const metrics = await (await fetch(metricsUrl)).text();
    const beforeEnd = await dumpOf(this.database.url);
    const { output } = await this.service.kill('SIGTERM');
    await this.proxy?.close();
    const tokens = Object.fromEntries(this.tokens.map((token, i) => [`owner token ${i}`, token]));
    return {
      statuses: this.statuses,
      answers: this.answers.join('\n'),
      console: output,
      metrics,
      dump: beforeEnd + (await dumpOf(this.database.url)),
      secrets: { ...SECRETS, 'the key': this.key, ...tokens },
    };
  }
}

describe.each(databases)('a secret that was sent to the service on $name', (kind) => {
  let database: TestDatabase;
  let written: Written;

  beforeAll(async () => {
    database = await kind.create();
    written = await new Run(kind, database).run();
  });
  afterAll(() => database?.drop());

  it('came with requests that succeed and fail in every way', () => {
    const away = kind.name === 'SQLite' ? [] : [503];
    expect([...written.statuses]).toEqual(
      expect.arrayContaining([200, 201, 400, 401, 403, 404, 415, 422, 500, ...away]),
    );
    expect(Object.keys(written.secrets).length).toBeGreaterThan(Object.keys(SECRETS).length + 2);
    for (const canary of Object.values(written.secrets)) expect(canary).toMatch(/.{16}/);
  });

  it('is not on standard output or standard error, with the log at its most talkative', () => {
    expect(written.console).toContain('"account":"watched"');
    expect(written.console).toContain('"msg":"defect"');
    expect(canariesIn(written.console, { ...written.secrets, ...LINKED, ...BODY_TEXT })).toEqual([]);
  });

  it('is not in the metrics', () => {
    expect(written.metrics).toContain('registry_http_request_duration_seconds_count');
    expect(
      canariesIn(written.metrics, { ...written.secrets, ...LINKED, ...BODY_TEXT, 'an account': 'watched' }),
    ).toEqual([]);
  });

  it('is in no answer, including health and the service description, except the owner token once', () => {
    expect(canariesIn(written.answers, BODY_TEXT)).toContain('a later title');
    expect(canariesIn(written.answers, written.secrets)).toEqual([]);
  });

  it('is not in the database, which contains only text of assets', () => {
    expect(canariesIn(written.dump, { ...BODY_TEXT, account: 'watched' })).toEqual(
      expect.arrayContaining(['a later title', 'account']),
    );
    expect(canariesIn(written.dump, { ...written.secrets, ...LINKED })).toEqual([]);
    expect(canariesIn(written.dump, BODY_TEXT)).not.toContain('a body that is not JSON');
    expect(canariesIn(written.dump, BODY_TEXT)).not.toContain('the name of a rogue field');
    expect(canariesIn(written.answers, BODY_TEXT)).toContain('a title of a dry run');
    expect(canariesIn(written.dump, BODY_TEXT)).not.toContain('a title of a dry run');
  });

  it('appears in no unknown member of a log line: requests are logged with known members only', () => {
    const lines = written.console
      .split('\n')
      .filter((line) => line.includes('"requestId"') && line.includes('"method"'));
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) {
      const members = Object.keys(JSON.parse(line) as object);
      expect([...LINE_MEMBERS, 'dryRun', 'unavailable']).toEqual(expect.arrayContaining(members));
    }
    expect(lines.filter((line) => line.includes('"dryRun":true'))).toHaveLength(2);
    const change = lines.map((line) => JSON.parse(line)).find(({ method }) => method === 'PATCH');
    expect(Object.keys(change)).toEqual(LINE_MEMBERS);
    expect(change).toMatchObject({ route: '/api/0.1/assets/:id', account: 'watched', status: 200, answered: true });
    expect(change.path).toMatch(/^\/api\/0\.1\/assets\/[0-9a-f]{32}$/);
  });
});
