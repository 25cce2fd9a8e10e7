import { describe, expect, it } from '@jest/globals';
import { bufferOf, chunksOf, EncodedText, enclosed, inner, lengthOf } from './encoded-text.js';

const SMALL = '{"title":"дім 🏡","n":1}';
const LARGE = `{"title":"${'дім 🏡'.repeat(10_000)}","n":1}`;

describe.each([
  ['small', SMALL],
  ['large', LARGE],
])('encoded text that is %s', (_, text) => {
  const encoded = EncodedText.from(Buffer.from(text));
  const bytes = Buffer.byteLength(text);

  it('has the bytes that it was made of, and is that text', () => {
    expect(encoded.toBuffer().equals(Buffer.from(text))).toBe(true);
    expect(encoded.toString()).toBe(text);
    expect(encoded).toHaveLength(bytes);
  });

  it('is cut and has ASCII put around it as any text', () => {
    const around = enclosed('[', enclosed('{', inner(encoded), ',"m":2}'), ']');
    expect(around.toString()).toBe(`[${text.slice(0, -1)},"m":2}]`);
    expect(enclosed('[', inner(text), ']')).toBe(`[${text.slice(1, -1)}]`);
    expect(inner(around).toString()).toBe(`${text.slice(0, -1)},"m":2}`);
  });

  it('is changed as a text with a character for each byte', () => {
    expect(encoded.map((all) => `${all.length} ${all.slice(-6)}`).toString()).toBe(`${bytes} ${text.slice(-6)}`);
  });

  it('is joined with others, and with ASCII', () => {
    const small = EncodedText.from(Buffer.from(SMALL));
    const joined = EncodedText.join([encoded, small, '{}', encoded], ',');
    expect(joined.toString()).toBe(`${text},${SMALL},{},${text}`);
    expect(joined).toHaveLength(2 * bytes + Buffer.byteLength(SMALL) + 5);
    expect(EncodedText.join(['[', joined, ']'], '').toString()).toBe(`[${text},${SMALL},{},${text}]`);
  });

  it('is the same bytes as text that is not encoded yet', () => {
    expect(bufferOf(chunksOf(encoded)).equals(bufferOf(chunksOf(text)))).toBe(true);
    expect(lengthOf(chunksOf(encoded))).toBe(bytes);
  });
});

it('no texts are an empty one', () => expect(EncodedText.join([], ',').toString()).toBe(''));
