import { expect, it } from '@jest/globals';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { printJournalLine, parseJournal } from './journal.js';

const time = new RegistryTime('Europe/Kyiv');
const redaction = { us: 1_700_000_000_123_456, asset: 'a'.repeat(32), pointers: '["/title"]', reason: 'чому' };

it('parses what it has printed', () => {
  const text = `${printJournalLine(redaction, time)}\n\n${printJournalLine({ ...redaction, us: 5 }, time)}\n`;
  expect(parseJournal(text, time)).toEqual([redaction, { ...redaction, us: 5 }]);
});

it.each(['{', 'null', '{"at":"gestern","asset":"x","pointers":[],"reason":""}', '[]'])(
  'refuses the line %s',
  (line) => {
    const text = `${printJournalLine(redaction, time)}\n${line}`;
    expect(() => parseJournal(text, time)).toThrow('Line 2 of the journal');
  },
);
