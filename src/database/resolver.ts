import dns, { type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { TIME_BUDGETS_MS } from '../config/time-budgets.js';
import { DeadlineError, within } from './trouble.js';
import { codeOf } from './dialects/error-code.js';

/** What is no answer about the name. */
const AWAY = new Set(['EAI_AGAIN', 'EAI_FAIL']);

/** What each name was the last time. */
const known = new Map<string, LookupAddress[]>();
/** One question at a time: each that is not answered holds one of the few threads that files are read by, too. */
const asked = new Map<string, Promise<LookupAddress[]>>();

/**
 * Finds a host's addresses, as the system does. While the resolver is away they are those that were found last: a database that is there
 * shall not be given up for it, nor the connections that work.
 */
export const lookUp: LookupFunction = (host, { all }, tell) => {
  void addressesOf(host).then(
    (found) => (all === true ? tell(null, found) : tell(null, found[0]?.address ?? '', found[0]?.family)),
    (error: NodeJS.ErrnoException) => tell(error, []),
  );
};

async function addressesOf(host: string): Promise<LookupAddress[]> {
  const last = known.get(host);
  if (last === undefined) return ask(host);
  try {
    return await within(TIME_BUDGETS_MS.hostAddress, ask(host), () => undefined);
  } catch (error) {
    if (error instanceof DeadlineError || AWAY.has(codeOf(error) ?? '')) return last;
    throw error;
  }
}

function ask(host: string): Promise<LookupAddress[]> {
  const before = asked.get(host);
  if (before !== undefined) return before;
  const asking = dns.promises
    .lookup(host, { all: true })
    .then((found) => {
      known.set(host, found);
      return found;
    })
    .finally(() => asked.delete(host));
  asked.set(host, asking);
  return asking;
}
