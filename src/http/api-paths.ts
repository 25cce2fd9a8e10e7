/** The API's two equivalent prefixes. Links keep the prefix of their request. */
export const API_PREFIXES = ['api/0.1', 'api/0'] as const;
/** The prefix for links from anywhere but the API's own answers. */
export const [API_PREFIX] = API_PREFIXES;

/** Paths of a resource under both prefixes. */
export function apiPaths(resource: string): string[] {
  return API_PREFIXES.map((prefix) => `${prefix}/${resource}`);
}
