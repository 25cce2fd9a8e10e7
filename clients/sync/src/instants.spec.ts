import { describe, expect, it } from '@jest/globals';
import { printUs, usOf } from './instants.js';

describe('an instant', () => {
  it('is read in microseconds, whatever its zone', () => {
    expect(usOf('2017-08-16T18:36:13.882146+03:00')).toBe(Date.UTC(2017, 7, 16, 15, 36, 13, 882) * 1_000 + 146);
    expect(usOf('2017-08-16T18:36:13.882146-03:30')).toBe(Date.UTC(2017, 7, 16, 22, 6, 13, 882) * 1_000 + 146);
    expect(usOf('1970-01-01T02:00:00.000001+02:00')).toBe(1);
  });

  it('is read right also after one of the same minute in another zone', () => {
    expect(usOf('2017-10-29T03:30:00.000000+03:00') - usOf('2017-10-29T03:30:00.000000+02:00')).toBe(-3_600_000_000);
  });

  it.each(['yesterday', '2017-08-16T18:36:13.882146Z', '2017-13-16T18:36:13.882146+03:00'])(
    'is nothing in %p',
    (text) => expect(usOf(text)).toBeNaN(),
  );

  it('is printed in UTC', () => {
    expect(printUs(Date.UTC(2017, 7, 16, 15, 36, 13, 882) * 1_000 + 46)).toBe('2017-08-16T15:36:13.882046Z');
    expect(printUs(1)).toBe('1970-01-01T00:00:00.000001Z');
  });
});
