import { readFileSync } from 'node:fs';
import type { Reply, TestRegistry } from './registry.js';

export const ASSETS = '/api/0.1/assets';

type JsonObject = Record<string, unknown>;

const example = JSON.parse(
  readFileSync(new URL('../../src/asset-types/basic/basic.example.json', import.meta.url), 'utf8'),
) as { data: JsonObject };

/** A body of POST as brokers send it, with other top-level fields where wanted; undefined leaves a field out. */
export function assetBody(fields: JsonObject = {}): { data: JsonObject } {
  return { data: { ...structuredClone(example.data), ...fields } };
}

/** An asset that was created, with what its owner needs. */
export interface Owned {
  id: string;
  token: string;
  asset: JsonObject & { id: string; assetID: string; status: string; date: string; dateModified: string };
}

export async function create(registry: TestRegistry, fields: JsonObject = {}, key = 'broker'): Promise<Owned> {
  const reply = await registry.send(ASSETS, { method: 'POST', key, body: assetBody(fields) });
  if (reply.status !== 201) throw new Error(`POST answered ${reply.status}: ${reply.text}`);
  const { access, data } = reply.json;
  return { id: data.id, token: access.token, asset: data };
}

/** PATCH by the owner. */
export function change(registry: TestRegistry, { id, token }: Owned, data: JsonObject, key = 'broker'): Promise<Reply> {
  return registry.send(`${ASSETS}/${id}`, {
    method: 'PATCH',
    key,
    headers: { 'X-Access-Token': token },
    body: { data },
  });
}

/** PATCH without an owner token, as the lot actor and the administrator do. */
export function changeAs(registry: TestRegistry, key: string, id: string, data: JsonObject): Promise<Reply> {
  return registry.send(`${ASSETS}/${id}`, { method: 'PATCH', key, body: { data } });
}

/** A created asset, published. */
export async function publish(registry: TestRegistry, fields: JsonObject = {}): Promise<Owned> {
  const owned = await create(registry, fields);
  const reply = await change(registry, owned, { status: 'pending' });
  if (reply.status !== 200) throw new Error(`PATCH answered ${reply.status}: ${reply.text}`);
  return { ...owned, asset: reply.json.data };
}
