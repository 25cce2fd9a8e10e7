import { fetchEventSource } from '@microsoft/fetch-event-source';
import { EventSource } from 'eventsource';
import { createEventSource } from 'eventsource-client';

/** Follows the stream at an address, each library by its own rules of when and from where to connect again. */
export interface EventLibrary {
  name: string;
  /**
   * @param get in place of `fetch`
   * @param take called with the data of each change
   * @returns ends it
   */
  follow: (url: string, get: typeof fetch, take: (data: string) => void) => () => void;
}

/** Public libraries that read server-sent events. */
export const eventLibraries: readonly EventLibrary[] = [
  {
    name: 'eventsource',
    follow: (url, get, take) => {
      const source = new EventSource(url, { fetch: get });
      source.addEventListener('change', ({ data }) => take(String(data)));
      return () => source.close();
    },
  },
  {
    name: 'eventsource-client',
    follow: (url, get, take) => {
      const onMessage = ({ event, data }: { event?: string; data: string }): void => {
        if (event === 'change') take(data);
      };
      const source = createEventSource({ url, fetch: get, onMessage });
      return () => source.close();
    },
  },
  {
    name: '@microsoft/fetch-event-source',
    follow: (url, get, take) => {
      // It is made for browsers, and asks them for timers and for whether the page is seen.
      Object.assign(globalThis, { window: globalThis, document: new EventTarget() });
      const ending = new AbortController();
      void fetchEventSource(url, {
        fetch: get,
        signal: ending.signal,
        openWhenHidden: true,
        onmessage: ({ event, data }) => {
          if (event === 'change') take(data);
        },
        // As its README says: it connects again after the end of an answer only where this throws.
        onclose: () => {
          throw new Error('The stream has ended');
        },
        onerror: () => undefined,
      });
      return () => ending.abort();
    },
  },
];
