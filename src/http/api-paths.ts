/** The two prefixes of the API; both answer in the same way, and links keep the one that a request came with. */
export const API_PREFIXES = ['api/0.1', 'api/0'];

/** Paths of a resource under both prefixes. */
export function apiPaths(resource: string): string[] {
  return API_PREFIXES.map((prefix) => `${prefix}/${resource}`);
}
