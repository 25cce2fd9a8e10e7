import { SingleFlight } from '../feed/single-flight.js';

interface Reading<Page> {
  call: SingleFlight<Page>;
  readers: number;
}

/**
 * Single-flight for pages: a page that several readers ask for at the same moment, as mirrors at the end of the feed do, is read and printed
 * once. Nobody is given a page whose reading began before they asked, so whoever was told of a change finds it.
 */
export class SharedPages<Page> {
  private readonly readings = new Map<string, Reading<Page>>();

  /** @param key the same for requests for the same page @param read reads the page of that key */
  async read(key: string, read: () => Promise<Page>): Promise<Page> {
    const reading = this.readings.get(key) ?? { call: new SingleFlight(read), readers: 0 };
    this.readings.set(key, reading);
    reading.readers++;
    try {
      return await reading.call.run();
    } finally {
      reading.readers--;
      if (reading.readers === 0) this.readings.delete(key);
    }
  }
}
