import { expect, it } from '@jest/globals';
import type { LogReader } from '../database/log/log-reader.js';
import type { PublicStates } from '../feed/reading/public-states.js';
import { checkpointText } from './checkpoint.js';
import { entryText } from './entry.js';
import type { LogHashes } from './log-hashes.js';
import type { LogIdentity } from './log-identity.js';
import { LogService } from './log.service.js';
import { leafHash } from './tree.js';

const ORIGIN = 'registry.example.org/log/new';
const ENTRY = { place: 0, asset: 'a', createdUs: 1, modifiedUs: 1, commitment: null };

/** A log of one entry. @param origin of its checkpoint */
function logSignedAs(origin: string): LogService {
  const checkpoint = `${checkpointText(origin, 1, leafHash(entryText(ENTRY)))}\n`;
  const reader = {
    head: () => Promise.resolve({ id: 1, size: 1, untilUs: 1, checkpoint }),
    entryAt: () => Promise.resolve({ ...ENTRY, opening: '{}' }),
  };
  const identity = { origin: ORIGIN } as LogIdentity;
  return new LogService(reader as unknown as LogReader, {} as LogHashes, {} as PublicStates, identity);
}

it('tells where a state stands in the signed log', async () => {
  expect(await logSignedAs(ORIGIN).placeOf(1)).toBe(0);
});

it('tells no place while only a log of another history is signed, which it does not answer either', async () => {
  const log = logSignedAs('registry.example.org/log/old');
  await expect(log.checkpoint()).rejects.toMatchObject({ status: 503 });
  expect(await log.placeOf(1)).toBeUndefined();
});
