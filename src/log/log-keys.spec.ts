import { describe, expect, it } from '@jest/globals';
import { LogKeys, newLogKey } from './log-keys.js';

/** From the example of Go's sumdb/note. */
const KEY = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz';
const VERIFIER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const SIGNATURE =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';

describe('the keys of a log', () => {
  it('sign as Go does', () => {
    const keys = LogKeys.parse(`${KEY}\n`);
    expect(keys.name).toBe('PeterNeumann');
    expect(keys.verifierKeys('PeterNeumann')).toEqual([VERIFIER]);
    expect(keys.sign('PeterNeumann', TEXT)).toBe(`${TEXT}\n${SIGNATURE}`);
  });

  it('have another id for each origin', () => {
    const [key = ''] = LogKeys.parse(KEY).verifierKeys('PeterNeumann/1');
    expect(key).toMatch(/^PeterNeumann\/1\+[0-9a-f]{8}\+/);
    expect(key.split('+')[1]).not.toBe('c74f20a3');
  });

  it('all sign during a key rotation, and detect a note that lacks a signature', () => {
    const [old, next] = [newLogKey('registry.example/log'), newLogKey('registry.example/log')];
    const both = LogKeys.parse(`${old}\n${next}\n`);
    const origin = 'registry.example/log/e';
    const note = both.sign(origin, TEXT);
    expect(note.match(/^— /gm)).toHaveLength(2);
    expect(both.haveSigned(origin, note)).toBe(true);
    expect(LogKeys.parse(old).haveSigned(origin, note)).toBe(true);
    expect(both.haveSigned(origin, LogKeys.parse(old).sign(origin, TEXT))).toBe(false);
    expect(both.haveSigned('registry.example/log/f', note)).toBe(false);
  });

  it.each([
    ['', 'it contains no key'],
    ['x', 'a line of it is not PRIVATE+KEY+…'],
    [KEY.replace('PeterNeumann', 'Peter Neumann'), 'a line of it is not PRIVATE+KEY+…'],
    [KEY.replace('Peter', 'Pater'), 'the key of PaterNeumann is damaged'],
    [KEY.slice(0, -4), 'a line of it is not PRIVATE+KEY+…'],
    [`${KEY}\n${newLogKey('another.example/log')}`, 'different names'],
  ])('are refused if they are %j', (text, reason) => {
    expect(() => LogKeys.parse(text)).toThrow(reason);
  });

  it.each(['', 'a b', 'a+b', 'https://a b', 'https://registry.example/log', 'registry.example/log/', '/log'])(
    'cannot have the name %j',
    (name) => {
      expect(() => newLogKey(name)).toThrow('cannot be the name of a log');
    },
  );
});
