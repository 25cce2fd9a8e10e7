import { isDeepStrictEqual } from 'node:util';
import { hasDuplicateName } from 'asset-registry-tlog';
import { printUs, usOf } from '../instants.js';

/** The members that are printed in the registry's time zone, whenever the state was made. */
const PRINTED = ['date', 'dateModified'];

/**
 * Whether a copy has a state as the registry has it: the same members and values, and the same instants. The registry prints these in another
 * way once its time zone is another one.
 * @param kept JSON text, which may be damaged
 * @param told JSON text, as the registry has it
 */
export function isSameState(kept: string, told: string): boolean {
  if (kept === told) return true;
  try {
    const value = JSON.parse(kept) as unknown;
    return !hasDuplicateName(kept, value) && isDeepStrictEqual(inUtc(value), inUtc(JSON.parse(told)));
  } catch {
    return false;
  }
}

/** Whether two states, as JSON text, are the same but for what they say was erased, which no entry binds. */
export function isSameBesideErasures(kept: string, told: string): boolean {
  const [own, other] = [kept, told].map(withoutErasures);
  return (
    own !== undefined && other !== undefined && own.redacted !== other.redacted && isSameState(own.rest, other.rest)
  );
}

function withoutErasures(text: string): { rest: string; redacted: string } | undefined {
  try {
    const { redacted = null, ...others } = Object(JSON.parse(text)) as Record<string, unknown>;
    return { rest: JSON.stringify(others), redacted: JSON.stringify(redacted) };
  } catch {
    return undefined;
  }
}

function inUtc(state: unknown): unknown {
  const members = { ...Object(state) } as Record<string, unknown>;
  for (const name of PRINTED) {
    const us = usOf(String(members[name]));
    if (!Number.isNaN(us)) members[name] = printUs(us);
  }
  return members;
}
