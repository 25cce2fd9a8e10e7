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
async function obtainLibfaketime(): Promise<string> {
  if (findFakeTime() === undefined) await installPackages('No libfaketime found', ['libfaketime']);
  const found = findFakeTime();
  if (found === undefined) throw new NotInstalledError(`libfaketime is not in ${LIBRARY_FOLDERS}.`);
  return found;
}

/** The faked wall clock of one process; its monotonic clock stays true, as when an administrator sets the time. */
export class FakeClock {
  readonly env: Record<string, string>;

  /**
   * @param file the process rereads it continuously
   * @throws NotInstalledError if libfaketime is missing and cannot be installed
   */
  static async create(file: string): Promise<FakeClock> {
    return new FakeClock(file, await obtainLibfaketime());
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

  /** Sets it this many seconds off true time; the process follows within a second. */
  stepTo(seconds: number): void {
    const written = `${this.file}.new`;
    writeFileSync(written, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    // Renamed, so that the process never reads half of it.
    renameSync(written, this.file);
  }
}
