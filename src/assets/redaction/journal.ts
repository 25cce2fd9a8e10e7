import { ID } from '../../feed/asset-identifiers.js';
import type { Redaction } from '../../database/entities/redaction.entity.js';
import { checkOrder } from './redact.js';
import type { RegistryTime } from '../../platform/time/registry-time.js';

/** An erasure as it is listed: a line of JSON. */
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

/** Reads a journal that was listed. @throws Error that names the line that is none */
export function readJournal(text: string, time: RegistryTime): Redaction[] {
  const lines = text.split('\n').map((line, i) => ({ line: line.trim(), number: i + 1 }));
  return lines.filter(({ line }) => line !== '').map(({ line, number }) => readLine(line, number, time));
}

function readLine(text: string, number: number, time: RegistryTime): Redaction {
  const { at, asset, pointers, reason } = parsed(text);
  const us = typeof at === 'string' ? time.parse(at) : undefined;
  const isList = Array.isArray(pointers) && pointers.every((one) => typeof one === 'string');
  if (us === undefined || typeof asset !== 'string' || !ID.test(asset) || !isList || typeof reason !== 'string')
    throw new Error(`Line ${number} of the journal is none that "registry redactions" prints`);
  checkOrder({ pointers, reason });
  return { us, asset, pointers: JSON.stringify(pointers), reason };
}

function parsed(text: string): Partial<Record<keyof JournalLine, unknown>> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<Record<keyof JournalLine, unknown>>;
  } catch {
    return {};
  }
}
