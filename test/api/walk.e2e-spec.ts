import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody, change, changeAs, create, type Owned } from '../support/assets.js';
import { databases } from '../support/databases.js';
import { TestRegistry } from '../support/registry.js';

const LOT = 'a'.repeat(32);
const OTHER_LOT = 'b'.repeat(32);

describe.each(databases)('the recorded walk of a broker on $name', (kind) => {
  let registry: TestRegistry;
  let first: Owned;
  let second: Owned;
  const listed = async () => (await registry.send(ASSETS)).json;

  beforeAll(async () => {
    registry = await TestRegistry.start(kind);
  });
  afterAll(() => registry?.stop());

  it('the listing is empty', async () => {
    const page = await listed();
    expect(page.data).toEqual([]);
    expect(page.next_page.offset).toBe('');
  });

  it('POST as form data is 415', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const reply = await registry.send(ASSETS, { method: 'POST', key: 'broker', headers, body: 'a=b' });
    expect(reply.status).toBe(415);
  });

  it('POST of the four bytes `data` as JSON is 422', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const reply = await registry.send(ASSETS, { method: 'POST', key: 'broker', headers, body: 'data' });
    expect(reply.status).toBe(422);
    expect(reply.json.errors[0].description).toMatch(/^No JSON object could be decoded/);
  });

  it('POST with status draft is 201', async () => {
    first = await create(registry, { status: 'draft' });
    expect(first.asset.status).toBe('draft');
  });

  it('PATCH to pending with acc_token', async () => {
    const path = `${ASSETS}/${first.id}?acc_token=${first.token}`;
    const reply = await registry.send(path, { method: 'PATCH', key: 'broker', body: { data: { status: 'pending' } } });
    expect(reply.status).toBe(200);
    expect(reply.json.data.status).toBe('pending');
  });

  it('the asset reads as it was answered', async () => {
    const reply = await registry.send(`${ASSETS}/${first.id}`);
    expect(reply.status).toBe(200);
    expect(reply.json.data.status).toBe('pending');
  });

  it('the same PATCH again changes nothing', async () => {
    const before = (await registry.send(`${ASSETS}/${first.id}`)).text;
    const reply = await change(registry, first, { status: 'pending' });
    expect(reply.status).toBe(200);
    expect(reply.text).toBe(before);
  });

  it('the listing shows one entry and its dateModified as offset', async () => {
    const page = await listed();
    expect(page.data.map(({ id }: { id: string }) => id)).toEqual([first.id]);
    expect(page.next_page.offset).toBe(page.data[0].dateModified);
  });

  it('a second POST without status is a draft and the listing still shows one', async () => {
    second = await create(registry, { status: undefined });
    expect(second.asset.status).toBe('draft');
    expect((await listed()).data).toHaveLength(1);
  });

  it('PATCH of the description moves the entry', async () => {
    const before = (await listed()).data[0].dateModified;
    expect((await change(registry, first, { description: 'Опис' })).status).toBe(200);
    const page = await listed();
    expect(page.data).toHaveLength(1);
    expect(page.data[0].dateModified > before).toBe(true);
  });

  it('PATCH to deleted: still readable, and listed as deleted', async () => {
    expect((await change(registry, first, { status: 'deleted' })).status).toBe(200);
    expect((await registry.send(`${ASSETS}/${first.id}`)).json.data.status).toBe('deleted');
    const page = (await registry.send(`${ASSETS}?opt_fields=status`)).json;
    expect(page.data.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      [first.id, 'deleted'],
    ]);
  });

  it('a second asset goes to active with a lot, back to pending, to active with another lot, and to complete', async () => {
    expect((await change(registry, second, { status: 'pending' })).status).toBe(200);
    const steps = [
      [{ status: 'active', relatedLot: LOT }, LOT],
      [{ status: 'pending' }, LOT],
      [{ status: 'active', relatedLot: OTHER_LOT }, OTHER_LOT],
      [{ status: 'complete' }, OTHER_LOT],
    ] as const;
    for (const [data, lot] of steps) {
      const reply = await changeAs(registry, 'concierge', second.id, data);
      expect(reply.status).toBe(200);
      expect(reply.json.data).toMatchObject({ status: data.status, relatedLot: lot });
    }
  });

  it('the body of the walk is the example of the type', () => {
    expect(assetBody().data['title']).toBe('Земля для космодрому');
  });
});
