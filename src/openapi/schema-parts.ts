import type { SchemaObject } from 'openapi3-ts/oas31';

export const text = { type: 'string' } as const;

/** @param name of a schema of the document */
export function ref(name: string): SchemaObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object of these members alone, all of which are there unless they are named as optional. */
export function closed(properties: Record<string, SchemaObject>, optional: readonly string[] = []): SchemaObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}
