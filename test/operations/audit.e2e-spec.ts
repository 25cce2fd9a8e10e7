import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody, change, changeAs, create, LOT, type Owned, publish } from '../support/assets.js';
import { databases } from '../support/databases.js';
import { command } from '../support/commands.js';
import { newFolder } from '../support/new-folder.js';
import type { Ended } from '../support/process.js';
import { type TestRegistry, zoneAtNoon } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { runSql } from '../support/rows.js';
import { until } from '../support/until.js';

interface Line {
  time: string;
  actor: string;
  action: string;
  subject: string;
  request: string | null;
  detail: unknown;
}

type Send = TestRegistry['send'];

const OPERATOR = `operator:${userInfo().username}`;
const TIME_ZONE = zoneAtNoon();

describe.each(databases)('the audit on $name', (kind) => {
  const registry = servedRegistry(kind, { TIME_ZONE });

  const cli = (...words: string[]): Promise<Ended> => command(words, { DATABASE_URL: registry.databaseUrl, TIME_ZONE });

  /** Newest first. */
  const audit = async (...options: string[]): Promise<Line[]> => {
    const { code, output } = await cli('audit', '--json', ...options);
    if (code !== 0) throw new Error(output);
    const lines = output.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Line);
  };
  const changeIn = (request: string, owned: Owned, data: object): Promise<{ status: number }> =>
    registry.send(`${ASSETS}/${owned.id}?acc_token=${owned.token}`, {
      method: 'PATCH',
      key: 'broker',
      headers: { 'X-Request-ID': request },
      body: { data },
    });

  it('records who changed an asset, when, which fields and in which request', async () => {
    const owned = await create(registry);
    await changeIn('request-1', owned, { title: 'other', description: 'other' });
    await changeIn('request-2', owned, { status: 'pending', title: 'third' });
    const { json } = await changeAs(registry, 'concierge', owned.id, { status: 'active', relatedLot: LOT });

    const lines = await audit('--asset', owned.id);
    expect(lines).toEqual([
      {
        time: json.data.dateModified,
        actor: 'concierge',
        action: 'asset.change',
        subject: owned.id,
        request: expect.stringMatching(/^[0-9a-f-]{36}$/),
        detail: { fields: ['status', 'relatedLot'], from: 'pending', to: 'active' },
      },
      expect.objectContaining({
        request: 'request-2',
        detail: { fields: ['status', 'title'], from: 'draft', to: 'pending' },
      }),
      expect.objectContaining({ request: 'request-1', detail: { fields: ['title', 'description'] } }),
      expect.objectContaining({
        time: owned.asset.date,
        actor: 'broker',
        action: 'asset.create',
        detail: { assetID: owned.asset.assetID, status: 'draft' },
      }),
    ]);
    expect(await audit('--asset', owned.asset.assetID)).toEqual(lines);
  });

  it('records a backup in its source, a restore in its target, and a move in both', async () => {
    const folder = newFolder();
    const [file, moved] = [join(folder, 'backup.sqlite'), `sqlite:${join(folder, 'moved.sqlite')}`];
    const restored = await kind.create();
    expect((await cli('backup', file)).code).toBe(0);
    expect((await command(['restore', file], { DATABASE_URL: restored.url })).code).toBe(0);
    expect((await command(['db', 'move', restored.url, moved], {})).code).toBe(0);
    const entriesOf = async (url: string): Promise<unknown[]> => {
      const { output } = await command(['audit', '--json', '--subject', 'database'], { DATABASE_URL: url });
      const lines = output
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
      return lines.map(({ actor, action, detail }) => [actor, action, detail]);
    };
    expect(await entriesOf(registry.databaseUrl)).toEqual([[OPERATOR, 'db.backup', { file }]]);
    const move = [OPERATOR, 'db.move', { from: expect.any(String), to: join(folder, 'moved.sqlite') }];
    const both = [move, [OPERATOR, 'db.restore', { file }]];
    expect([await entriesOf(restored.url), await entriesOf(moved)]).toEqual([both, both]);
    await restored.drop();
  });

  it('has no entry for an empty change, a refused request or a repeated POST', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const body = assetBody();
    const [first] = await Promise.all(
      [1, 2].map(() => registry.send(ASSETS, { method: 'POST', key: 'broker', headers, body })),
    );
    const owned = { ...first?.json.data, id: first?.json.data.id, token: first?.json.access.token } as Owned;
    expect((await change(registry, owned, { title: body.data['title'] })).status).toBe(200);
    expect((await change(registry, owned, { title: '' })).status).toBe(422);
    expect((await change(registry, owned, { status: 'active' })).status).toBe(403);
    expect((await audit('--asset', owned.id)).map(({ action }) => action)).toEqual(['asset.create']);
  });

  it('has as many lines as an asset has versions, however many changed it at once', async () => {
    const owned = await create(registry);
    const changes = Array.from({ length: 40 }, (_, i) => change(registry, owned, { title: `title ${i}` }));
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    // On a busy machine some are 503, and may be made later.
    let lines: Line[] = [];
    await until(async () => {
      lines = await audit('--asset', owned.id);
      const rows = await runSql(registry, 'SELECT version FROM asset WHERE id = ?', [owned.id]);
      return lines.length === Number((rows as { version: unknown }[])[0]?.version);
    });
    expect(lines.length).toBeGreaterThan(statuses.filter((status) => status === 200).length);
    expect(lines.length).toBeLessThanOrEqual(1 + statuses.length);
    expect(new Set(lines.map(({ time }) => time)).size).toBe(lines.length);
  });

  it('has a line for each asset that was changed as one with others, of the same request', async () => {
    const owned = [await publish(registry), await publish(registry), await publish(registry)];
    const data = owned.map(({ id }, i) => ({ id, ...(i !== 1 && { status: 'active', relatedLot: LOT }) }));
    const headers = { 'X-Request-ID': 'as-one' };
    const { json } = await registry.send(ASSETS, { method: 'PATCH', key: 'concierge', headers, body: { data } });
    const newest = await Promise.all(owned.map(async ({ id }) => (await audit('--asset', id))[0]));
    for (const i of [0, 2])
      expect(newest[i]).toEqual({
        time: json.data[i].dateModified,
        actor: 'concierge',
        action: 'asset.change',
        subject: owned[i]?.id,
        request: 'as-one',
        detail: { fields: ['status', 'relatedLot'], from: 'pending', to: 'active' },
      });
    // An unchanged asset has no entry.
    expect(newest[1]).toMatchObject({ actor: 'broker', detail: { from: 'draft', to: 'pending' } });
  });

  it('records who handed an asset over, and who took it over', async () => {
    const { id, token } = await create(registry);
    const send = (path: string, key: string, headers: Record<string, string>, access: object): ReturnType<Send> =>
      registry.send(`${ASSETS}/${id}/${path}`, { method: 'POST', key, headers, body: { access } });
    const asked = await send('transfer', 'broker', { 'X-Request-ID': 'ask' }, { token });
    const refused = await send('ownership', 'broker2', {}, { transfer: token });
    const taken = await send('ownership', 'broker2', { 'X-Request-ID': 'take' }, asked.json.access);
    expect([asked.status, refused.status, taken.status]).toEqual([201, 403, 200]);
    const lines = await audit('--asset', id);
    expect(lines.map(({ action, actor, request, detail }) => [action, actor, request, detail])).toEqual([
      ['asset.transfer', 'broker2', 'take', { fields: ['owner'], from: 'broker', to: 'broker2' }],
      ['transfer.code', 'broker', 'ask', {}],
      ['asset.create', 'broker', expect.any(String), expect.any(Object)],
    ]);
    expect(lines[0]?.time).toBe(taken.json.data.dateModified);
  });

  it('records changes of keys, accounts and owner tokens by operators', async () => {
    const { id: asset } = await create(registry);
    const idIn = ({ output }: Ended): string => /^Key (\w+)/.exec(output)?.[1] ?? '';
    const key = idIn(await cli('key', 'create', '--account', 'acme', '--role', 'broker'));
    const next = idIn(await cli('key', 'rotate', key));
    await cli('key', 'revoke', next);
    await cli('account', 'disable', 'acme');
    await cli('account', 'enable', 'acme');
    await cli('account', 'display-name', 'acme', 'Акме');
    await cli('account', 'display-name', 'acme');
    await cli('token', 'reissue', asset);
    await cli('token', 'transfer', asset);

    const lines = await audit('--actor', OPERATOR, '--limit', '9');
    expect(lines.map(({ action, subject, request, detail }) => [action, subject, request, detail])).toEqual([
      ['transfer.code', asset, null, {}],
      ['token.reissue', asset, null, {}],
      ['account.display-name', 'acme', null, {}],
      ['account.display-name', 'acme', null, { displayName: 'Акме' }],
      ['account.enable', 'acme', null, {}],
      ['account.disable', 'acme', null, {}],
      ['key.revoke', next, null, {}],
      ['key.rotate', key, null, { account: 'acme', newKey: next }],
      ['key.create', key, null, { account: 'acme', role: 'broker' }],
    ]);
    expect(await audit('--subject', 'acme')).toHaveLength(4);
  });

  it('has no line of a command that has changed nothing', async () => {
    const before = await audit();
    expect((await cli('key', 'revoke', 'nothing')).code).toBe(1);
    expect((await cli('account', 'disable', 'absent')).code).toBe(1);
    expect((await cli('token', 'reissue', 'UA-1')).code).toBe(1);
    expect((await cli('token', 'transfer', '0'.repeat(32))).code).toBe(1);
    expect(await audit()).toEqual(before);
  });

  it('can be asked for an action, a time and a number of lines', async () => {
    const [first, second] = [await create(registry), await create(registry)];
    const created = await audit('--action', 'asset.create', '--limit', '2');
    expect(created.map(({ subject }) => subject)).toEqual([second.id, first.id]);
    const { date } = second.asset;
    expect((await audit('--from', date)).map(({ subject }) => subject)).toEqual([second.id]);
    expect((await audit('--to', date, '--limit', '1')).map(({ subject }) => subject)).toEqual([first.id]);
    expect(await cli('audit', '--from', 'yesterday')).toEqual({
      code: 1,
      output: 'registry: --from is an ISO 8601 date, or date and time: the date is not written YYYY-MM-DD\n',
    });
    expect(await cli('audit', '--asset', 'UA-1')).toEqual({ code: 1, output: 'registry: There is no asset UA-1\n' });
    const both = await cli('audit', '--asset', 'UA-1', '--subject', 'acme');
    expect([both.code, both.output]).toEqual([1, expect.stringContaining('cannot be used with')]);
  });

  it('refuses an unknown action, and lists the known ones', async () => {
    const { code, output } = await cli('audit', '--action', 'asset.changed');
    expect(code).toBe(1);
    expect(output).toMatch(
      /'asset\.changed' is invalid\. Allowed choices are asset\.create, asset\.change, .*key\.revoke/,
    );
  });

  it('a key shows the day on which it was used last', async () => {
    const made = await cli('key', 'create', '--account', 'daily', '--role', 'broker');
    const [, id = '', key = ''] = /^Key (\w+) of daily.*\n(ark_\S+)/.exec(made.output) ?? [];
    const row = async (): Promise<string> =>
      (await cli('key', 'list')).output.split('\n').find((line) => line.includes(id)) ?? '';
    const today = async (): Promise<string> => (await create(registry, {}, key)).asset.date.slice(0, 10);
    expect(await row()).not.toMatch(new RegExp(` ${await today()}$`));
    await create(registry, {}, key);
    expect(await row()).toMatch(new RegExp(` ${await today()}$`));
  });
});
