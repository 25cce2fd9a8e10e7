import { describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody, change, create, post, publish, read } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { servedRegistry } from '../support/served-registry.js';
import { everythingStored } from '../support/rows.js';

describe.each(embedded)('creating an asset on $name', (kind) => {
  const registry = servedRegistry(kind);

  it('POST answers 201 with access and data, and nothing else', async () => {
    const reply = await post(registry, assetBody());
    expect(reply.status).toBe(201);
    expect(reply.json).toEqual({ access: { token: expect.any(String) }, data: expect.any(Object) });
    expect(reply.json.data).toMatchObject({ title: assetBody().data['title'], status: 'draft', owner: 'broker' });
  });

  it('the asset has the sent fields and those that the service sets', async () => {
    const body = assetBody();
    const { id, assetID, status, owner, date, dateModified, ...sent } = (await create(registry)).asset;
    expect(sent).toEqual(body.data);
    expect([id, assetID, status, owner, date, dateModified]).not.toContain(undefined);
  });

  it.each(['/api/0.1/assets', '/api/0/assets'])('Location is the absolute URL of the asset: %s', async (path) => {
    const reply = await registry.send(path, { method: 'POST', key: 'broker', body: assetBody() });
    const { id } = reply.json.data;
    expect(reply.headers.get('location')).toBe(`${registry.url}${path}/${id}`);
    expect((await registry.send(`${path}/${id}`)).json.data).toEqual(reply.json.data);
  });

  it('the query of a POST is no part of Location', async () => {
    const reply = await registry.send(`${ASSETS}?opt_pretty=1`, { method: 'POST', key: 'broker', body: assetBody() });
    expect(reply.headers.get('location')).toBe(`${registry.url}${ASSETS}/${reply.json.data.id}`);
  });

  it('the owner token is 32 hex characters, another one for each asset', async () => {
    const created = await Promise.all(Array.from({ length: 5 }, () => create(registry)));
    for (const { token } of created) expect(token).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(created.map(({ token }) => token)).size).toBe(5);
  });

  it('the owner token is shown this once', async () => {
    const owned = await publish(registry);
    const replies = [
      await read(registry, owned),
      await change(registry, owned, { title: 'Інша' }),
      await change(registry, owned, {}),
      await change(registry, owned, { title: '' }),
      await registry.send(`${ASSETS}?opt_fields=*`),
      await registry.send(`${ASSETS}?opt_fields=access,token&acc_token=${owned.token}`),
    ];
    for (const reply of replies) {
      expect(reply.text + JSON.stringify([...reply.headers])).not.toContain(owned.token);
      expect(reply.json).not.toHaveProperty('access');
    }
  });

  it('a refused POST creates nothing', async () => {
    const before = await everythingStored(registry);
    expect((await post(registry, assetBody({ title: '' }))).status).toBe(422);
    expect((await post(registry, assetBody({ status: 'active' }))).status).toBe(403);
    expect(await everythingStored(registry)).toBe(before);
  });
});
