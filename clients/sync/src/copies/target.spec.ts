import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readTarget, shownTarget } from './target.js';

describe('a target', () => {
  it('is a file or a database', () => {
    expect(readTarget('sqlite:a/b.db')).toEqual({ kind: 'sqlite', path: resolve('a/b.db') });
    expect(readTarget('jsonl:/x y')).toEqual({ kind: 'jsonl', path: '/x y' });
    expect(readTarget('mysql://u:p@h:1/d')).toEqual({ kind: 'mysql', url: 'mysql://u:p@h:1/d' });
    for (const url of ['postgres://u:p@h:1/d', 'postgresql://u:p@h/d'])
      expect(readTarget(`${url}?tls=require`)).toEqual({ kind: 'postgres', url, tls: { verify: false } });
  });

  it('may stand in an environment variable or a file, as for a password', () => {
    process.env['COPY_URL'] = 'mysql://u:p@h:1/d';
    expect(readTarget('env:COPY_URL')).toEqual(readTarget('mysql://u:p@h:1/d'));
    delete process.env['COPY_URL'];
    expect(() => readTarget('env:COPY_URL')).toThrow('There is no environment variable COPY_URL');
    expect(() => readTarget('file:/nowhere/url')).toThrow(/^The target cannot be read: .*\/nowhere\/url/);
    expect(() => readTarget(`file:${import.meta.filename}`)).toThrow('A copy is kept in');
  });

  it.each([
    ['', undefined],
    ['?tls=require', { verify: false, caFile: undefined }],
    ['?tls=verify', { verify: true, caFile: undefined }],
    ['?tls=verify&ca=/a%20b.pem', { verify: true, caFile: '/a b.pem' }],
  ])('says with %j how connections are encrypted, and leaves the driver no parameter', (parameters, tls) =>
    expect(readTarget(`mysql://u:p@h:1/d${parameters}`)).toEqual({ kind: 'mysql', url: 'mysql://u:p@h:1/d', tls }),
  );

  it.each([
    ['?ssl=true', /instead of ssl: write tls=require .* or tls=verify/],
    ['?tls=require&tls=verify', /takes tls=require, or tls=verify/],
    ['?tls=require&multipleStatements=true', /and nothing else/],
    ['?ca=/geheim.pem', /has ca=FILE, which goes with tls=verify/],
    ['?tls=verify&ca=', /has a ca that names no file/],
  ])('refuses %j and says what to write, and nothing of what was written', (parameters, fault) => {
    const text = `mysql://user:geheim@host/d${parameters}`;
    expect(() => readTarget(text)).toThrow(fault);
    expect(() => readTarget(text)).toThrow(/^(?!.*(?:geheim|user|host|Statements))/);
  });

  it('refuses a password with a % that belongs to no escape, and does not show it', () => {
    expect(() => readTarget('mysql://user:geheim%@host/d')).toThrow(
      'The URL of the server has a % that belongs to no escape: write %25 for one in a name or a password',
    );
    expect(readTarget('mysql://user:ge%25heim@host/d')).toMatchObject({ url: 'mysql://user:ge%25heim@host/d' });
  });

  it('is shown without its password', () => {
    expect(shownTarget(readTarget('mysql://user:secret@host:1/db'))).toBe('mysql://host:1/db');
    expect(shownTarget(readTarget('postgresql://user:secret@host/db'))).toBe('postgres://host/db');
    expect(shownTarget(readTarget('jsonl:/x'))).toBe('jsonl:/x');
  });

  it.each(['', 'mysql://host/', 'mysql://u:12/se@cret@h/d', 'postgres://h/'])('is not %p', (text) =>
    expect(() => readTarget(text)).toThrow('A copy is kept in'),
  );
});
