import { expect, it } from '@jest/globals';
import type { ReadAsset } from '../database/readers/asset-row.js';
import { EncodedText } from '../platform/text/encoded-text.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { StatePrinter } from './state-printer.js';

const printer = new StatePrinter(new RegistryTime('UTC'));

function textOf(body: string): string | undefined {
  const asset = { id: 'a', relatedLot: null, createdUs: 1, modifiedUs: 1, body: EncodedText.from(Buffer.from(body)) };
  return printer.text(asset as unknown as ReadAsset)?.toString();
}

it.each([
  ['a duplicate name', '{"title":1,"title":1}'],
  ['a duplicate name that is escaped', '{"title":1,"t\\u0069tle":1}'],
  ['a duplicate name in an item', '{"items":[{"a":1,"b":{"a":2}},{"a":1,"a":2}]}'],
  ['invalid JSON', '{"title":}'],
])('does not print a state with %s', (_, body) => expect(textOf(body)).toBeUndefined());

it.each([
  ['colons and quotes in texts', '{"a:\\"b":"c:\\\\","d":[":",{"a:\\"b":":"}]}'],
  ['more levels than the stack', `{"deep":${'['.repeat(50_000)}{"a":1}${']'.repeat(50_000)}}`],
])('prints a state with %s', (_, body) => expect(textOf(body)).toContain(body.slice(1, -1)));
