import { isDeepStrictEqual } from 'node:util';
import { hasDuplicateName } from 'asset-registry-tlog';
import { printUs, usOf } from '../instants.js';

/** Members printed in the registry's current time zone. */
const INSTANTS = ['date', 'dateModified'];

/**
 * Whether two states are the same. Instants are compared in UTC, because the registry prints them differently after a change of its time zone.
 * @param own JSON text of the copy, which may be damaged
 * @param served JSON text of the registry
 */
export function isSameState(own: string, served: string): boolean {
  if (own === served) return true;
  try {
    const value = JSON.parse(own) as unknown;
    return !hasDuplicateName(own, value) && isDeepStrictEqual(inUtc(value), inUtc(JSON.parse(served)));
  } catch {
    return false;
  }
}

/** Whether two states, as JSON text, differ only in their lists of erased fields, to which no entry commits. */
export function isSameExceptErasures(copied: string, served: string): boolean {
  const [own, other] = [copied, served].map(withoutErasures);
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
  for (const name of INSTANTS) {
    const us = usOf(String(members[name]));
    if (!Number.isNaN(us)) members[name] = printUs(us);
  }
  return members;
}
