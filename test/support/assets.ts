import example from '../../src/asset-types/basic/basic.example.json' with { type: 'json' };
import { retryUnavailable } from './retry-unavailable.js';
import type { Reply, Sender } from './registry.js';
import { stalledSince } from './server-stalls.js';

export const ASSETS = '/api/0.1/assets';

export type JsonObject = Record<string, unknown>;

/** A body of POST as brokers send it. @param fields replace or add top-level fields; undefined omits one */
export function assetBody(fields: JsonObject = {}): { data: JsonObject } {
  return { data: { ...structuredClone(example.data), ...fields } };
}

/**
 * A body of POST with the field at `path`, at any depth, set to another value; undefined omits it.
 * @param path such as `assetCustodian.contactPoint.name`
 */
export function assetBodyWith(path: string, value: unknown): { data: JsonObject } {
  const body = assetBody();
  const names = path.split('.');
  const last = names.pop() as string;
  const parent = names.reduce<JsonObject>((object, name) => object[name] as JsonObject, body.data);
  // Assigning to `__proto__` would not create a member.
  Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true });
  return body;
}

/** Such a body as text, with the field's value as literal JSON: `1e2`, or a value that no object can contain. */
export function assetTextWith(path: string, json: string): string {
  return JSON.stringify(assetBodyWith(path, '@value@')).replace('"@value@"', () => json);
}

/** A patch of one field at any depth. */
export function patchOf(path: string, value: unknown): JsonObject {
  return path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as JsonObject;
}

/** Sends a POST: an object as JSON, text unchanged, both with that media type. */
export function post(registry: Sender, body: unknown, key = 'broker'): Promise<Reply> {
  return registry.send(ASSETS, { method: 'POST', key, body, headers: { 'Content-Type': 'application/json' } });
}

export function read(registry: Sender, { id }: { id: string }): Promise<Reply> {
  return registry.send(`${ASSETS}/${id}`);
}

/** A created asset, and its owner token. */
export interface Owned {
  id: string;
  token: string;
  asset: JsonObject & { id: string; assetID: string; status: string; date: string; dateModified: string };
}

export function create(registry: Sender, fields: JsonObject = {}, key = 'broker'): Promise<Owned> {
  return createFrom(registry, assetBody(fields), key);
}

/** Creates an asset of any type. If the database stalls, a harmless second draft may remain. */
export async function createFrom(registry: Sender, body: { data: JsonObject }, key = 'broker'): Promise<Owned> {
  const reply = await retryUnavailable(() => registry.send(ASSETS, { method: 'POST', key, body }), stalledSince);
  if (reply.status !== 201) throw new Error(`POST answered ${reply.status}: ${reply.text}`);
  const { access, data } = reply.json;
  return { id: data.id, token: access.token, asset: data };
}

/** PATCH by the owner. */
export function change(registry: Sender, { id, token }: Owned, data: JsonObject, key = 'broker'): Promise<Reply> {
  return registry.send(`${ASSETS}/${id}`, {
    method: 'PATCH',
    key,
    headers: { 'X-Access-Token': token },
    body: { data },
  });
}

/** PATCH without an owner token, as the lot actor and the administrator do. */
export function changeAs(registry: Sender, key: string, id: string, data: JsonObject): Promise<Reply> {
  return registry.send(`${ASSETS}/${id}`, { method: 'PATCH', key, body: { data } });
}

/** A created asset, published. */
export async function publish(registry: Sender, fields: JsonObject = {}): Promise<Owned> {
  const owned = await create(registry, fields);
  const reply = await retryUnavailable(() => change(registry, owned, { status: 'pending' }), stalledSince);
  if (reply.status !== 200) throw new Error(`PATCH answered ${reply.status}: ${reply.text}`);
  return { ...owned, asset: reply.json.data };
}

export const LOT = 'a'.repeat(32);
export const OTHER_LOT = 'b'.repeat(32);

const WAY_TO: Record<string, { actor: string; data: JsonObject }[]> = {
  draft: [],
  pending: [{ actor: 'owner', data: { status: 'pending' } }],
  deleted: [
    { actor: 'owner', data: { status: 'pending' } },
    { actor: 'owner', data: { status: 'deleted' } },
  ],
  active: [
    { actor: 'owner', data: { status: 'pending' } },
    { actor: 'concierge', data: { status: 'active', relatedLot: LOT } },
  ],
  complete: [
    { actor: 'owner', data: { status: 'pending' } },
    { actor: 'concierge', data: { status: 'active', relatedLot: LOT } },
    { actor: 'concierge', data: { status: 'complete' } },
  ],
};

/** Creates an asset and moves it to `status`, as the actors who may do so. */
export async function createIn(registry: Sender, status: string): Promise<Owned> {
  let owned = await create(registry);
  for (const { actor, data } of WAY_TO[status] ?? []) {
    const reply = await changeBy(registry, actor, owned, data);
    if (reply.status !== 200) throw new Error(`PATCH answered ${reply.status}: ${reply.text}`);
    owned = { ...owned, asset: reply.json.data };
  }
  return owned;
}

/** PATCH by one of the contract's actors: `owner`, `concierge` or `administrator`. */
export function changeBy(registry: Sender, actor: string, owned: Owned, data: JsonObject): Promise<Reply> {
  return actor === 'owner' ? change(registry, owned, data) : changeAs(registry, actor, owned.id, data);
}
