import { expect, it, jest } from '@jest/globals';
import { checkpointText, leafHash } from '#tlog';
import type { LogReader } from '../database/readers/log-reader.js';
import type { RedactionReader } from '../database/readers/redaction-reader.js';
import type { PublicStates } from '../feed/reading/public-states.js';
import { entryText } from './entry.js';
import type { LogHashes } from './log-hashes.js';
import { LogKeys, newLogKey } from './log-keys.js';
import { LogService } from './log.service.js';

const NAME = 'registry.example.org/log';
const ORIGIN = `${NAME}/new`;
const ENTRY = { place: 0, asset: 'a', createdUs: 1, modifiedUs: 1, commitment: null };

/** A log of one entry. @param origin of its checkpoint @param newestUs the instant of the last erasure */
function logSignedAs(origin: string, newestUs = (): number => 0, commitment: string | null = null): LogService {
  const keys = LogKeys.parse(newLogKey(NAME));
  const checkpoint = keys.sign(origin, checkpointText({ origin, size: 1, root: leafHash(entryText(ENTRY)) }));
  const reader = {
    head: () => Promise.resolve({ id: 1, size: 1, untilUs: 1, checkpoint, epoch: 'new' }),
    entryAt: () => Promise.resolve({ ...ENTRY, opening: '{}' }),
    entriesWithoutOpenings: () => Promise.resolve([{ ...ENTRY, commitment }]),
    entries: () => Promise.resolve([{ ...ENTRY, opening: '{}' }]),
    unlogged: () => Promise.resolve([]),
  };
  const redactions = { newestUs: () => Promise.resolve(newestUs()) } as unknown as RedactionReader;
  const states = { of: async function* () {} } as unknown as PublicStates;
  return new LogService(reader as unknown as LogReader, redactions, {} as LogHashes, states, keys);
}

it('finds the place of a state in the signed log', async () => {
  expect(await logSignedAs(ORIGIN).placeOf(1)).toBe(0);
});

it('has no checkpoint and no places while only the log of another epoch is signed', async () => {
  const log = logSignedAs(`${NAME}/old`);
  await expect(log.checkpoint()).rejects.toMatchObject({ status: 503 });
  expect(await log.placeOf(1)).toBeUndefined();
});

it('truncates an entry that was tampered with and is too long for a bundle, so that its hash differs', async () => {
  const log = logSignedAs(ORIGIN, undefined, 'A'.repeat(70_000));
  const bundle = await log.tile({ level: undefined, number: 0, width: 1 });
  expect([bundle.length, bundle.readUInt16BE()]).toEqual([2 + 65_535, 65_535]);
});

it.each([
  ['once', [1, 2, 2], 'a page', 3],
  ['each time', [1, 2, 3, 4, 5, 6, 7], 503, 6],
])('reads a page again if a field was erased meanwhile, %s', async (_, times, answer, asked) => {
  const newestUs = jest.fn(() => times.shift() as number);
  const log = logSignedAs(ORIGIN, newestUs);
  const read = log.page(0, 1, { isGone: () => false }).then(
    () => 'a page',
    ({ status }: { status: number }) => status,
  );
  expect(await read).toBe(answer);
  expect(newestUs).toHaveBeenCalledTimes(asked);
});
