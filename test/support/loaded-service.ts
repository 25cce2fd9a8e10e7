type Service = typeof import('./service.js');

declare global {
  /** Set by service-environment.js: the service as the process loads it once, for all files. */
  var loadServiceOnce: (() => Promise<Service>) | undefined;
}

const loadHere = (): Promise<Service> => import('./service.js');
let load = globalThis.loadServiceOnce ?? loadHere;

export const loadService = (): Promise<Service> => load();

/** For a file that changes or watches code of the service: it is loaded once more, and what the file imports from `src/` is that. */
export function loadServiceHere(): void {
  load = loadHere;
}
