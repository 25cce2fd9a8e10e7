import { notARegistry, objectIn } from './read-answer.js';

/** An asset type of a registry. */
export interface RegistryType {
  name: string;
  /** Former names. */
  aliases: readonly string[];
  /** Top-level members of its assets. */
  fields: readonly string[];
}

/** The members of the OpenAPI document that are read here. */
interface Described {
  components?: {
    schemas?: Record<string, { properties?: Record<string, { enum?: string[] }> }> & {
      Asset?: { oneOf?: { $ref: string }[] };
    };
  };
}

/** @param text the OpenAPI document of a registry @throws UnexpectedAnswer for another text */
export function readTypes(text: string): RegistryType[] {
  const { schemas } = (objectIn(text) as Described).components ?? {};
  if (!Array.isArray(schemas?.Asset?.oneOf)) throw notARegistry(text);
  return schemas.Asset.oneOf.flatMap(({ $ref: reference }) => {
    const { properties = {} } = schemas[reference.slice(reference.lastIndexOf('/') + 1)] ?? {};
    const [name, ...aliases] = properties['assetType']?.enum ?? [];
    // Schemas without a name describe assets of removed types, and assets with erased fields.
    return name === undefined ? [] : { name, aliases, fields: Object.keys(properties) };
  });
}
