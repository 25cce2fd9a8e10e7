import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARY_FOLDERS = '/usr/lib';
const LIBRARY = 'faketime/libfaketime.so.1';

/** The path of libfaketime (Debian's package `libfaketime`); nothing where it is not installed. */
export function findFakeTime(): string | undefined {
  const folders = existsSync(LIBRARY_FOLDERS) ? readdirSync(LIBRARY_FOLDERS) : [];
  return ['', ...folders].map((folder) => join(LIBRARY_FOLDERS, folder, LIBRARY)).find(existsSync);
}

/** The time that one process is told; its monotonic clock stays true, as it does when an administrator sets the time. */
export class FakeClock {
  readonly env: Record<string, string>;

  /** @param file which the process reads again and again */
  constructor(private readonly file: string) {
    this.stepTo(0);
    this.env = {
      LD_PRELOAD: findFakeTime() ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** Sets it to true time and so many seconds; the process follows within a second. */
  stepTo(seconds: number): void {
    const written = `${this.file}.new`;
    writeFileSync(written, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    // Renamed, so that nobody reads half of it.
    renameSync(written, this.file);
  }
}
