import type { DtoClass } from './field.js';
import { prepare } from './prepared-dto.js';

type JsonObject = Record<string, unknown>;

/** A sound instance of `dto` in which every item, at any depth, has an id: a copy, where items need one. */
export function withItemIds(dto: DtoClass, instance: object, newId: () => string): object {
  const { fields, holdsItems } = prepare(dto);
  if (!holdsItems) return instance;
  const copy: JsonObject = { ...instance };
  for (const { name, nested, list } of fields) {
    const value = copy[name];
    if (nested === undefined || value === undefined) continue;
    const give = (one: object): object => withItemIds(nested(), one, newId);
    copy[name] = list
      ? (value as { id?: string }[]).map((item) => ({ ...give(item), id: item.id ?? newId() }))
      : give(value as object);
  }
  return copy;
}
