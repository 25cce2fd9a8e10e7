import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { instantFault } from './instant-fault.js';
import { RegistryTime } from './registry-time.js';

const time = new RegistryTime('Europe/Kyiv');

describe('the fault of a text that is not an instant', () => {
  it.each([
    ['1503000000', 'bare number'],
    ['1503000000123.5', 'bare number'],
    ['2017', 'a year alone'],
    ['2017-08', 'a month alone'],
    ['yesterday', 'the date'],
    ['16.08.2017', 'the date'],
    ['2017-13-01', 'the month is not'],
    ['2017-02-29', 'no such day'],
    ['2017-08-00', 'no such day'],
    ['2017-08-16+03:00', 'behind the date'],
    ['2017-08-16t18:36', 'behind the date'],
    ['2017-08-16T1836', 'the time'],
    ['2017-08-16T24:00', 'the hour'],
    ['2017-08-16T18:60', 'the minute'],
    ['2017-08-16T18:36:60', 'the second'],
    ['2017-08-16T18:36:13.', 'the fraction'],
    ['2017-08-16T18:36:13.1234567890', 'the fraction'],
    ['2017-08-16T18:36:13,5Z', 'the fraction'],
    ['2017-08-16T18:36:13 Europe/Kyiv', 'the name of a time zone'],
    ['2017-08-16T18:36:13EET', 'the name of a time zone'],
    ['2017-08-16T18:36:13+3', 'the UTC offset is not written'],
    ['2017-08-16T18:36:13+24:00', 'hours above 23'],
    ['2017-08-16T18:36:13+03:60', 'minutes above 59'],
    ['2017-08-16T18:36:13\n', 'a line break'],
  ])('of %j', (text, part) => {
    expect(time.parse(text)).toBeUndefined();
    expect(instantFault(text)).toContain(part);
  });

  it('is one sentence for any text', () => {
    fc.assert(fc.property(fc.string(), (text) => instantFault(text).length > 0));
  });
});
