import { expect, it } from '@jest/globals';
import { EncodedText } from '../text/encoded-text.js';
import { entityTag } from './asset-view.js';
import { redactedText, withRedacted } from './redacted.js';

const told = { pointer: '/title', reason: 'чому "так"', at: '2026-11-23T20:00:00.000001+02:00' };

it('what tells of erasures is the last member of a body', () => {
  expect(withRedacted('{"a":1}', [])).toBe('{"a":1}');
  expect(JSON.parse(withRedacted('{"a":1}', [told]))).toEqual({ a: 1, redacted: [told] });
  expect(withRedacted('{}', [told])).toBe(`{"redacted":${JSON.stringify([told])}}`);
});

it('it is found in a text, and nothing else is', () => {
  expect(redactedText(withRedacted('{"a":1}', [told]))).toBe(`"redacted":${JSON.stringify([told])}}`);
  for (const body of ['{}', '{"a":[{"b":"c"}]}', JSON.stringify({ a: [{ b: '"redacted":[{"pointer":"x"}]}' }] })])
    expect(redactedText(body)).toBe('');
});

it('an ETag is another one where something was erased, whether the body is encoded or not', () => {
  const tagOf = (body: string): string => entityTag({ modifiedUs: 1, body });
  const erased = withRedacted('{"a":1}', [told]);
  expect(tagOf('{"a":1}')).toBe(entityTag({ modifiedUs: 1 }));
  expect(new Set([tagOf('{"a":1}'), tagOf(erased), tagOf(withRedacted('{"a":1}', [told, told]))]).size).toBe(3);
  expect(entityTag({ modifiedUs: 1, body: EncodedText.from(Buffer.from(erased)) })).toBe(tagOf(erased));
});
