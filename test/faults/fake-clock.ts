import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, NotInstalledError } from '../../scripts/machine/apt-get.js';

const LIBRARY_FOLDERS = '/usr/lib';
const LIBRARY = 'faketime/libfaketime.so.1';

function findFakeTime(): string | undefined {
  const folders = existsSync(LIBRARY_FOLDERS) ? readdirSync(LIBRARY_FOLDERS) : [];
  return ['', ...folders].map((folder) => join(LIBRARY_FOLDERS, folder, LIBRARY)).find(existsSync);
}

/** Finds or installs libfaketime. @returns its path */
async function obtainFakeTime(): Promise<string> {
  if (findFakeTime() === undefined) await installPackages('No libfaketime found', ['libfaketime']);
  const found = findFakeTime();
  if (found === undefined) throw new NotInstalledError(`libfaketime is not in ${LIBRARY_FOLDERS}.`);
  return found;
}

/** The time that one process is told; its monotonic clock stays true, as it does when an administrator sets the time. */
export class FakeClock {
  readonly env: Record<string, string>;

  /**
   * @param file which the process reads again and again
   * @throws NotInstalledError where libfaketime is not there, and cannot be installed
   */
  static async create(file: string): Promise<FakeClock> {
    return new FakeClock(file, await obtainFakeTime());
  }

  private constructor(
    private readonly file: string,
    library: string,
  ) {
    this.stepTo(0);
    this.env = {
      LD_PRELOAD: library,
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
