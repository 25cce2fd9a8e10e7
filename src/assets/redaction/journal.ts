import { ID } from '../../feed/asset-identifiers.js';
import type { Redaction } from '../../database/entities/redaction.entity.js';
import { checkRequest } from './redact.js';
import type { RegistryTime } from '../../platform/time/registry-time.js';

/** An erasure as `registry redactions` prints it: one line of JSON. */
interface JournalLine {
  at: string;
  asset: string;
  pointers: string[];
  reason: string;
}

export function printJournalLine({ us, asset, pointers, reason }: Redaction, time: RegistryTime): string {
  const line: JournalLine = { at: time.print(us), asset, pointers: JSON.parse(pointers) as string[], reason };
  return JSON.stringify(line);
}

/** Parses the output of `registry redactions`. @throws Error naming the first malformed line */
export function parseJournal(text: string, time: RegistryTime): Redaction[] {
  const lines = text.split('\n').map((line, i) => ({ line: line.trim(), number: i + 1 }));
  return lines.filter(({ line }) => line !== '').map(({ line, number }) => parseLine(line, number, time));
}

function parseLine(text: string, number: number, time: RegistryTime): Redaction {
  const { at, asset, pointers, reason } = parseMembers(text);
  const us = typeof at === 'string' ? time.parse(at) : undefined;
  const isList = Array.isArray(pointers) && pointers.every((one) => typeof one === 'string');
  if (us === undefined || typeof asset !== 'string' || !ID.test(asset) || !isList || typeof reason !== 'string')
    throw new Error(`Line ${number} of the journal is not as "registry redactions" prints it`);
  checkRequest({ pointers, reason });
  return { us, asset, pointers: JSON.stringify(pointers), reason };
}

function parseMembers(text: string): Partial<Record<keyof JournalLine, unknown>> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<Record<keyof JournalLine, unknown>>;
  } catch {
    return {};
  }
}
