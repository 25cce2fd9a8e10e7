import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SOURCES = pathToFileURL(join(import.meta.dirname, '../../src/')).href;
/** Far more than a timer runs meanwhile: what a slow look holds back comes right after it, and was in each of single works. */
const TOGETHER = 20;
const MOST_TURNS = 20;

/** Tells the files of `src/` of which a function runs while something is done in this process; its threads are not seen. */
export class EnteredFiles {
  private readonly session = new Session();

  private constructor() {
    this.session.connect();
  }

  static async begin(): Promise<EnteredFiles> {
    const entered = new EnteredFiles();
    await entered.session.post('Profiler.enable');
    await entered.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return entered;
  }

  /**
   * The files with a function that runs at least once for each of many works. A timer's run less often, unless the machine is very busy: so it is done
   * again and again, until there are no more than `most`.
   * @returns sorted, below `src/`
   */
  async byEach(most: number, work: (time: number) => Promise<void>): Promise<string[]> {
    let files: string[] | undefined;
    for (let turn = 0; turn < MOST_TURNS && (files === undefined || files.length > most); turn++) {
      await this.take();
      for (let i = 0; i < TOGETHER; i++) await work(turn * TOGETHER + i);
      const taken = await this.take();
      files = files?.filter((file) => taken.has(file)) ?? [...taken];
    }
    return (files ?? []).toSorted();
  }

  end(): void {
    this.session.disconnect();
  }

  /** Those of which a function ran `TOGETHER` times or more since the last look. */
  private async take(): Promise<Set<string>> {
    const { result } = await this.session.post('Profiler.takePreciseCoverage');
    const entered = result.filter(({ functions }) =>
      functions.some(({ ranges: [whole] }) => (whole?.count ?? 0) >= TOGETHER),
    );
    // Jest names a script by its path.
    const urls = entered.map(({ url }) => new URL(url, 'file:///').href);
    return new Set(urls.filter((url) => url.startsWith(SOURCES)).map((url) => url.slice(SOURCES.length)));
  }
}
