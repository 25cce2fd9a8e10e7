import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SOURCES = pathToFileURL(join(import.meta.dirname, '../../src/')).href;
const MOST_TIMES = 200;

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
   * The files that are entered each time. What timers do meanwhile is not in all of them, unless the machine is very busy: so it is done
   * again and again, until there are no more than `most`.
   * @returns sorted, below `src/`
   */
  async byEach(most: number, work: (time: number) => Promise<void>): Promise<string[]> {
    let files: string[] | undefined;
    for (let time = 0; time < MOST_TIMES && (files === undefined || files.length > most); time++) {
      await this.take();
      await work(time);
      const taken = await this.take();
      files = files?.filter((file) => taken.has(file)) ?? [...taken];
    }
    return (files ?? []).toSorted();
  }

  end(): void {
    this.session.disconnect();
  }

  /** Those that were entered since the last time. */
  private async take(): Promise<Set<string>> {
    const { result } = await this.session.post('Profiler.takePreciseCoverage');
    const entered = result.filter(({ functions }) => functions.some(({ ranges: [whole] }) => whole?.count));
    // Jest names a script by its path.
    const urls = entered.map(({ url }) => new URL(url, 'file:///').href);
    return new Set(urls.filter((url) => url.startsWith(SOURCES)).map((url) => url.slice(SOURCES.length)));
  }
}
