import { describe, expect, it } from '@jest/globals';
import { type Bytes, bytesOf, EncodedText, enclosed, inner } from './encoded-text.js';

const text = '{"title":"дім 🏡","n":1}';

describe('encoded text', () => {
  const encoded = EncodedText.from(Buffer.from(text));
  const bytes = Buffer.byteLength(text);

  it('keeps the bytes from which it was made, and prints as that text', () => {
    expect(encoded.toBuffer().equals(Buffer.from(text))).toBe(true);
    expect(encoded.toString()).toBe(text);
    expect(encoded).toHaveLength(bytes);
  });

  it('can be cut, and enclosed in ASCII, like any text', () => {
    const around = enclosed('[', enclosed('{', inner(encoded), ',"m":2}'), ']');
    expect(around.toString()).toBe(`[${text.slice(0, -1)},"m":2}]`);
    expect(enclosed('[', inner(text), ']')).toBe(`[${text.slice(1, -1)}]`);
    expect(inner(around).toString()).toBe(`${text.slice(0, -1)},"m":2}`);
  });

  it('is mapped as a text with a character for each byte', () => {
    expect(encoded.map((all) => `${all.length} ${all.slice(-6)}`).toString()).toBe(`${bytes} ${text.slice(-6)}`);
  });

  it('is joined with others, and with ASCII', () => {
    const joined = EncodedText.join([encoded, '{}', encoded], ',');
    expect(joined.toString()).toBe(`${text},{},${text}`);
    expect(joined).toHaveLength(2 * bytes + 4);
    expect(EncodedText.join(['[', joined, ']'], '').toString()).toBe(`[${text},{},${text}]`);
  });

  it('has the same bytes as text that is not encoded yet', () => {
    const asBuffer = (sent: Bytes): Buffer => (typeof sent === 'string' ? Buffer.from(sent, 'latin1') : sent);
    expect(asBuffer(bytesOf(encoded)).equals(asBuffer(bytesOf(text)))).toBe(true);
    expect(bytesOf(encoded)).toHaveLength(bytes);
  });
});

it('joins no texts to an empty one', () => expect(EncodedText.join([], ',').toString()).toBe(''));
