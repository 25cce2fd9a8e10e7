import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readTarget, shownTarget } from './target.js';

describe('a target', () => {
  it('is a file or a database', () => {
    expect(readTarget('sqlite:a/b.db')).toEqual({ kind: 'sqlite', path: resolve('a/b.db') });
    expect(readTarget('jsonl:/x y')).toEqual({ kind: 'jsonl', path: '/x y' });
    expect(readTarget('mysql://u:p@h:1/d')).toEqual({ kind: 'mysql', url: 'mysql://u:p@h:1/d' });
  });

  it('is shown without its password', () => {
    expect(shownTarget(readTarget('mysql://user:secret@host:1/db'))).toBe('mysql://host:1/db');
    expect(shownTarget(readTarget('jsonl:/x'))).toBe('jsonl:/x');
  });

  it.each(['', 'x', 'sqlite:', 'sqlite://x', 'mysql://host', 'mysql://host/', 'postgres://h/d', 'file:x'])(
    'is not %p',
    (text) => expect(() => readTarget(text)).toThrow('A copy is kept in'),
  );
});
