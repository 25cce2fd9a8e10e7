import { notOfARegistry, objectIn } from './read-answer.js';

/** An asset type that a registry has. */
export interface RegistryType {
  name: string;
  /** Names that it had before. */
  aliases: readonly string[];
  /** Top-level members of its assets. */
  fields: readonly string[];
}

/** What is read of the API's description of itself. */
interface Described {
  components?: {
    schemas?: Record<string, { properties?: Record<string, { enum?: string[] }> }> & {
      Asset?: { oneOf?: { $ref: string }[] };
    };
  };
}

/** @param text the OpenAPI document of a registry @throws UnexpectedAnswer for another one */
export function readTypes(text: string): RegistryType[] {
  const { schemas } = (objectIn(text) as Described).components ?? {};
  if (!Array.isArray(schemas?.Asset?.oneOf)) throw notOfARegistry(text);
  return schemas.Asset.oneOf.flatMap(({ $ref: reference }) => {
    const { properties = {} } = schemas[reference.slice(reference.lastIndexOf('/') + 1)] ?? {};
    const [name, ...aliases] = properties['assetType']?.enum ?? [];
    // What has no name describes assets of types that were removed, and assets of which fields were erased.
    return name === undefined ? [] : { name, aliases, fields: Object.keys(properties) };
  });
}
