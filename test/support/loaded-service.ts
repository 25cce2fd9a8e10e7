type Service = typeof import('./service.js');

declare global {
  /** Set by service-environment.js: the service as loaded once per process, for all test files. */
  var loadServiceOnce: (() => Promise<Service>) | undefined;
}

const loadHere = (): Promise<Service> => import('./service.js');
let load = globalThis.loadServiceOnce ?? loadHere;

export const loadService = (): Promise<Service> => load();

/** For a test file that mocks or watches code of the service: loads it again, so that the file's imports from `src/` are the same instances. */
export function loadServiceHere(): void {
  load = loadHere;
}
