import { describe, expect, it } from '@jest/globals';
import { isMistyped, newApiKey, secretDigest } from './api-key.js';

describe('a new API key', () => {
  it('has a prefix, 43 characters of secret and a checksum of six', () => {
    for (let i = 0; i < 100; i++) expect(newApiKey()).toMatch(/^ark_[0-9A-Za-z]{49}$/);
  });

  it('is recognised as mistyped if one character differs, or two are swapped', () => {
    const key = newApiKey();
    expect(isMistyped(key)).toBe(false);
    for (let at = 4; at < key.length; at++) {
      const other = key[at] === 'a' ? 'b' : 'a';
      expect(isMistyped(key.slice(0, at) + other + key.slice(at + 1))).toBe(true);
      if (at > 4 && key[at] !== key[at - 1])
        expect(isMistyped(`${key.slice(0, at - 1)}${key[at]}${key[at - 1]}${key.slice(at + 1)}`)).toBe(true);
    }
  });

  it('does not judge a key of another form', () => {
    for (const key of ['broker', 'ark_short', '']) expect(isMistyped(key)).toBe(false);
  });
});

it.each([
  ['broker', 'faa2a9bdcc837728fffdebbca0ada344aca67ebe6aa54836d298377820590de2'],
  ['Ключ \ud800', '5a6317c5459758417c82ac6c7248ee4f0bce4ada848fc2eff7c97393fa0f31c3'],
])('the digest of %j never changes', (secret, digest) => {
  expect(secretDigest(secret)).toBe(digest);
});
