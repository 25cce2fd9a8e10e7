import { describe, expect, it } from '@jest/globals';
import { chunkOf, EncodedText, mapText } from './encoded-text.js';

const TEXT = '{"title":"дім 🏡","n":1}';
const encoded = EncodedText.from(Buffer.from(TEXT));

describe('encoded text', () => {
  it('has the bytes that it was made of, and is that text', () => {
    expect(encoded.toBuffer()).toEqual(Buffer.from(TEXT));
    expect(encoded.toString()).toBe(TEXT);
  });

  it('is cut and has ASCII put around it as any text', () => {
    const around = (text: string): string => `[${text.slice(0, -1)},"m":2}]`;
    expect(mapText(encoded, around).toString()).toBe(around(TEXT));
    expect(mapText(TEXT, around)).toBe(around(TEXT));
  });

  it('is joined with others, and with ASCII', () => {
    expect(EncodedText.join([encoded, '{}', encoded], ',').toString()).toBe(`${TEXT},{},${TEXT}`);
    expect(EncodedText.join([], ',').toString()).toBe('');
  });

  it('is the same bytes as text that is not encoded yet', () => {
    const chunk = chunkOf(encoded);
    expect(Buffer.from(chunk as string, 'latin1')).toEqual(chunkOf(TEXT));
    expect(chunk).toHaveLength(chunkOf(TEXT).length);
  });
});
