/** The two prefixes of the API; both answer in the same way, and links keep the one that a request came with. */
export const API_PREFIXES = ['api/0.1', 'api/0'] as const;
/** The one that links outside of the API's own answers have. */
export const [API_PREFIX] = API_PREFIXES;

/** Paths of a resource under both prefixes. */
export function apiPaths(resource: string): string[] {
  return API_PREFIXES.map((prefix) => `${prefix}/${resource}`);
}
