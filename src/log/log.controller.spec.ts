import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Database } from '../database/database.js';
import type { ReadAsset } from '../database/asset-row.js';
import { SqliteDialect } from '../database/dialects/sqlite/sqlite.dialect.js';
import type { Requester } from '../event-loop/turns.js';
import type { Caller, Origins, RegistryRequest } from '../http/exchange.js';
import { EncodedText } from '../text/encoded-text.js';
import { LogController } from './log.controller.js';
import type { LogService, ShownEntry } from './log.service.js';
import type { StatePrinter } from './state-printer.js';

const STATES = 8;
/** What the clock shows: it goes on only while a state is printed. */
let nowMs = 0;
let turns: number;
let counting: NodeJS.Immediate;
/** The turn of the event loop in which each state was printed. */
let printed: number[];
let reading: number;
let mostReading: number;
/** For whom pages were read. */
let readers: Requester[];

beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  [turns, reading, mostReading] = [0, 0, 0];
  [printed, readers] = [[], []];
  const count = (): void => {
    turns++;
    counting = setImmediate(count);
  };
  counting = setImmediate(count);
});
afterEach(() => {
  clearImmediate(counting);
  jest.restoreAllMocks();
});

const shown = Array.from({ length: STATES }, (_, place) => ({
  entry: { place, asset: 'a', createdUs: 1, modifiedUs: 1, commitment: null, opening: '{}' },
  asset: {} as ReadAsset,
})) as unknown as ShownEntry[];
const printer = {
  text: () => {
    nowMs += 10;
    printed.push(turns);
    return EncodedText.from(Buffer.from('{}'));
  },
};
const log = {
  page: async (_from: number, _limit: number, caller: Requester) => {
    readers.push(caller);
    mostReading = Math.max(mostReading, ++reading);
    await turn();
    reading--;
    return { size: STATES, shown, unlogged: [] };
  },
};

function controllerOf(): LogController {
  const origins = { of: () => ({ base: '', path: '/log/assets' }) };
  const database = { dialect: new SqliteDialect('none') };
  return new LogController(
    log as unknown as LogService,
    printer as unknown as StatePrinter,
    origins as unknown as Origins,
    database as unknown as Database,
  );
}

const ask = (controller: LogController, isGone = false) => {
  const request = { url: '/api/0.1/log/assets', headers: {} } as RegistryRequest;
  return controller.assets(request, { isGone: () => isGone } as unknown as Caller);
};

it('a page is read for who asks, and no longer than it is asked for', async () => {
  const controller = controllerOf();
  const caller = { isGone: () => false } as unknown as Caller;
  await controller.assets({ url: '/api/0.1/log/assets', headers: {} } as RegistryRequest, caller);
  expect(readers).toEqual([caller]);
});

it('large states of a page are each printed in a turn of the event loop', async () => {
  await ask(controllerOf());
  expect(new Set(printed).size).toBe(STATES);
});

it('pages are read one after the other from a file, and none for who has gone', async () => {
  const controller = controllerOf();
  const [first, gone, last] = await Promise.allSettled([ask(controller), ask(controller, true), ask(controller)]);
  expect([first?.status, last?.status]).toEqual(['fulfilled', 'fulfilled']);
  expect(gone).toMatchObject({ reason: { status: 503 } });
  expect([mostReading, printed.length]).toEqual([1, 2 * STATES]);
});
