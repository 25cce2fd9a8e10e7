import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RegistryTime } from './registry-time.js';

const kyiv = new RegistryTime('Europe/Kyiv');
const utcUs = (iso: string): number => Date.parse(iso) * 1_000;
/** From 1970 to the year 2255, after which a number no longer represents microseconds exactly. */
const anInstant = fc.integer({ min: 0, max: 8_990_000_000_000_000 });

const ZONES = ['Europe/Kyiv', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'Etc/GMT+12'];

/** Different texts of an instant with a UTC offset: in several zones, with and without colon, with fewer digits, with Z. */
function renderings(us: number, zone: string): string[] {
  const local = new RegistryTime(zone).print(us);
  const inZone = [local, local.replace(/:(\d\d)$/, '$1'), new RegistryTime('UTC').print(us).replace('+00:00', 'Z')];
  const shorter = inZone.map((text) => text.replace(/(?:\.0{6}|0+)(?=Z|[+-]\d\d:?\d\d$)/, ''));
  return [...inZone, ...shorter];
}

describe('printing', () => {
  it('has six fraction digits and a numeric offset', () => {
    expect(kyiv.print(utcUs('2017-08-16T15:36:13.882Z') + 146)).toBe('2017-08-16T18:36:13.882146+03:00');
    expect(kyiv.print(utcUs('2017-01-16T15:36:13Z'))).toBe('2017-01-16T17:36:13.000000+02:00');
  });

  it('follows the clock change to the microsecond', () => {
    const change = utcUs('2026-10-25T01:00:00Z');
    expect(kyiv.print(change - 1)).toBe('2026-10-25T03:59:59.999999+03:00');
    expect(kyiv.print(change)).toBe('2026-10-25T03:00:00.000000+02:00');
  });

  it('supports zones west of Greenwich and with half hours', () => {
    expect(new RegistryTime('America/St_Johns').print(0)).toBe('1969-12-31T20:30:00.000000-03:30');
    expect(new RegistryTime('UTC').print(0)).toBe('1970-01-01T00:00:00.000000+00:00');
  });

  it.each([NaN, -9_000_000_000_000_000_000, 300_000_000_000_000_000, 9_000_000_000_000_000_000])(
    'prints %d, which somebody has written into the database, as the last day',
    (us) => expect(kyiv.print(us)).toBe('9999-12-31T02:00:00.000000+02:00'),
  );

  it('prints the microsecond before 1970, which an empty registry may show', () => {
    expect(new RegistryTime('UTC').print(-1)).toBe('1969-12-31T23:59:59.999999+00:00');
  });

  it('returns the local day', () => {
    expect(kyiv.day(utcUs('2026-11-20T22:00:00Z'))).toBe('2026-11-21');
    expect(kyiv.day(utcUs('2026-11-20T22:00:00Z') - 1)).toBe('2026-11-20');
  });
});

describe('reading', () => {
  it('returns every printed instant', () => {
    fc.assert(fc.property(anInstant, (us) => kyiv.parse(kyiv.print(us)) === us));
  });

  it('returns the same instant for all its texts', () => {
    fc.assert(
      fc.property(anInstant, fc.constantFrom(...ZONES), (us, zone) => {
        for (const text of renderings(us, zone)) expect([text, kyiv.parse(text)]).toEqual([text, us]);
      }),
    );
  });

  it('reads a local time as the earliest instant that prints as it', () => {
    fc.assert(
      fc.property(anInstant, (us) => {
        const local = kyiv.print(us).slice(0, -6);
        const parsed = kyiv.parse(local) as number;
        expect(kyiv.print(parsed).slice(0, -6)).toBe(local);
        expect(parsed).toBeLessThanOrEqual(us);
      }),
    );
  });

  it.each([
    ['2017-08-16T18:36:13.5', '2017-08-16T15:36:13.5Z'],
    ['2017-08-16T18:36Z', '2017-08-16T18:36:00Z'],
    ['2017-08-16T18:36:13-00:30', '2017-08-16T19:06:13Z'],
    ['2024-02-29', '2024-02-28T22:00:00Z'],
    ['2017-08-16 18:36:13.5', '2017-08-16T15:36:13.5Z'],
    ['2017-08-16T18:36:13.123000999Z', '2017-08-16T18:36:13.123Z'],
  ])('understands %s', (text, utc) => {
    expect(kyiv.parse(text)).toBe(utcUs(utc));
  });

  it('takes the earlier instant of the hour that the autumn change repeats', () => {
    expect(kyiv.parse('2026-10-25T03:30:00')).toBe(utcUs('2026-10-25T00:30:00Z'));
  });

  it('takes the earlier instant of the hour that the spring change leaves out', () => {
    expect(kyiv.parse('2026-03-29T03:30:00')).toBe(utcUs('2026-03-29T00:30:00Z'));
  });

  it('is exact on both sides of the repeated hour', () => {
    expect(kyiv.parse('2026-10-25T02:59:59')).toBe(utcUs('2026-10-24T23:59:59Z'));
    expect(kyiv.parse('2026-10-25T04:00:00')).toBe(utcUs('2026-10-25T02:00:00Z'));
  });

  it('clamps instants to those that a number represents exactly', () => {
    expect(kyiv.parse('9999-12-31T23:59:59')).toBe(Number.MAX_SAFE_INTEGER);
    expect(kyiv.parse('0001-01-01')).toBe(0);
  });

  it.each([
    '',
    '2023-02-29',
    '2017-08-16T24:00',
    '2017-08-16T18:36:60',
    '2017-08-16T18:36:13z',
    '2017-08-16+03:00',
    '٢٠١٧-٠٨-١٦',
    '2017-08-16\n',
  ])('refuses %j', (text) => {
    expect(kyiv.parse(text)).toBeUndefined();
  });
});
