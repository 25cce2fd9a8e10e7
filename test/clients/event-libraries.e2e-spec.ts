import { beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, publish } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { addAssets } from '../support/many-assets.js';
import type { Entry } from '../support/pages.js';
import { servedRegistry } from '../support/served-registry.js';
import { until } from '../support/until.js';
import { eventLibraries } from './event-libraries.js';

/** More than there are breaks, so that the answer breaks off each time. */
const EVENTS = 60;
const STEP_BYTES = 61;

/** A body that is cut after `bytes` bytes, and tells its client to reconnect at once. */
async function* cutAfter(body: ReadableStream<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('retry: 1\n\n');
  let left = bytes;
  for await (const chunk of body) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) throw new TypeError('terminated');
  }
}

/** A `fetch` whose answers break off, each after as many bytes as the next of `lengths` says; those after the last one do not. */
function breakingOff(lengths: number[]): typeof fetch {
  return async (input, init) => {
    const { body, status, headers } = await fetch(input, init);
    const most = lengths.shift() ?? Infinity;
    return new Response(ReadableStream.from(cutAfter(body as ReadableStream<Uint8Array>, most)), { status, headers });
  };
}

describe.each(embedded)('libraries that read the stream of changes on $name', (kind) => {
  const registry = servedRegistry(kind);
  /** Bytes of the first event. */
  let length: number;

  const listed = async (): Promise<Entry[]> => (await registry.send(`${ASSETS}?opt_fields=*`)).json.data as Entry[];

  beforeAll(async () => {
    await publish(registry);
    await addAssets(registry.databaseUrl, EVENTS);
    const stream = await fetch(`${registry.url}${ASSETS}?opt_fields=*`, { headers: { Accept: 'text/event-stream' } });
    let text = '';
    for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.includes('\n\n')) break;
    }
    length = Buffer.byteLength(text.slice(0, text.indexOf('\n\n') + 2));
  });

  it.each(eventLibraries)('$name misses and doubles no change, wherever an event breaks off', async ({ follow }) => {
    const parts = Array.from({ length: Math.floor(length / STEP_BYTES) }, (_, i) => (i + 1) * STEP_BYTES);
    // And after whole events, with and without a part of the next one.
    const lengths = [...parts, length, length + STEP_BYTES, 2.5 * length].filter((bytes) => bytes !== length - 1);
    const seen: Entry[] = [];
    const end = follow(`${registry.url}${ASSETS}?opt_fields=*`, breakingOff(lengths), (data) =>
      seen.push(JSON.parse(data) as Entry),
    );
    await until(() => lengths.length === 0);
    const { id } = await publish(registry);
    await until(() => seen.at(-1)?.id === id);
    end();
    expect(seen).toEqual(await listed());
  });
});
