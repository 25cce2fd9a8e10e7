const HOUR_MS = 3_600_000;

/** Prints instants in microseconds in one time zone, and reads them again: `2017-08-16T18:36:13.882146+03:00`. */
export class LocalTime {
  private readonly format: Intl.DateTimeFormat;
  private readonly offsets = new Map<number, [ms: number, text: string]>();

  constructor(timeZone: string) {
    this.format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  }

  print(us: number): string {
    const ms = Math.floor(us / 1_000);
    const [offset, text] = this.offsetAt(ms);
    return `${new Date(ms + offset).toISOString().slice(0, -1)}${String(us % 1_000).padStart(3, '0')}${text}`;
  }

  /** @returns NaN of anything that `print` has not written */
  parse(text: string): number {
    return Date.parse(text.slice(0, 23) + text.slice(26)) * 1_000 + Number(text.slice(23, 26));
  }

  private offsetAt(ms: number): [ms: number, text: string] {
    const hour = Math.floor(ms / HOUR_MS);
    let offset = this.offsets.get(hour);
    if (offset === undefined) {
      const name = this.format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
      const text = name.slice('GMT'.length) || '+00:00';
      offset = [Date.parse(`1970-01-01T00:00:00${text}`) * -1, text];
      this.offsets.set(hour, offset);
    }
    return offset;
  }
}
