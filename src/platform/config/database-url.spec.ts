import { describe, expect, it } from '@jest/globals';
import { databaseUrlFault, parseDatabaseUrl } from './database-url.js';

describe('DATABASE_URL', () => {
  it('may be a file of SQLite', () => {
    expect(parseDatabaseUrl('sqlite:data/registry.sqlite')).toEqual({ kind: 'sqlite', path: 'data/registry.sqlite' });
  });

  it('may be a server with a user, a password and a database, each percent-encoded', () => {
    expect(parseDatabaseUrl('mysql://r%40b:p%3Aw%2F:x@db.example:3307/reg%2Distry')).toEqual({
      kind: 'mysql',
      hosts: [{ host: 'db.example', port: 3307 }],
      user: 'r@b',
      password: 'p:w/:x',
      database: 'reg-istry',
    });
  });

  it.each([
    ['mysql://u:p@one/registry', [['one', 3306]]],
    ['mysql://one:80/registry', [['one', 80]]],
    [
      'mysql://u:p@one:3307,two,[::1]:3309/registry',
      [
        ['one', 3307],
        ['two', 3306],
        ['::1', 3309],
      ],
    ],
  ])('%s lists its hosts in order', (text, hosts) => {
    expect(parseDatabaseUrl(text)).toMatchObject({ hosts: hosts.map(([host, port]) => ({ host, port })) });
  });

  it.each([
    '',
    'sqlite::memory:',
    'sqlite:folder/',
    'mysql://u:p@one/',
    'mysql://u:p@one,/registry',
    'mysql://u:p@one:70000/registry',
    'postgres://one/registry',
  ])('%j is refused', (text) => {
    expect(parseDatabaseUrl(text)).toBeUndefined();
    expect(databaseUrlFault(text)).toMatch(/^must be sqlite:.* or mysql:/);
  });

  it.each(['mysql://u:p@ss@one/registry', 'mysql://u:p/s@one/registry'])(
    'for the unescaped password in %j explains the escapes',
    (text) => {
      expect(databaseUrlFault(text)).toMatch(/write %40 for @ and %2F for \/$/);
    },
  );

  it.each([
    ['', undefined],
    ['?tls=require', { verify: false, caFile: undefined }],
    ['?tls=verify', { verify: true, caFile: undefined }],
    ['?ca=our%20own%2Bothers.pem&tls=verify', { verify: true, caFile: 'our own+others.pem' }],
  ])('reads the encryption from %j', (parameters, tls) => {
    const address = parseDatabaseUrl(`mysql://u:p@one:3307,two/registry${parameters}`);
    expect(address).toEqual(expect.objectContaining({ database: 'registry', password: 'p', tls }));
    expect(databaseUrlFault(`mysql://u:p@one/registry${parameters}`)).toBeUndefined();
  });

  it.each([
    ['ssl-mode=REQUIRED', /instead of ssl: write tls=require .* or tls=verify/],
    ['tls=verify&ssl=true', /instead of ssl: write tls=require .* or tls=verify/],
    ['tls=true', /takes only these parameters: tls=require .*, or tls=verify/],
    ['tls=require&tls=verify', /takes only these parameters: tls=require .*, or tls=verify/],
    ['tls=require&charset=latin1', /takes only these parameters: tls=require/],
    ['tls=require&ca=/etc/authority.pem', /has ca=FILE without tls=verify/],
    ['tls=verify&ca=', /has an empty ca/],
  ])('refuses %j and says what to write, without quoting it', (parameters, fault) => {
    const text = `mysql://user:geheim@one/registry?${parameters}`;
    expect(parseDatabaseUrl(text)).toBeUndefined();
    expect(databaseUrlFault(text)).toMatch(fault);
    expect(databaseUrlFault(text)).not.toMatch(/geheim|user:g|latin1|etc/);
  });

  it('explains how to write a % in a password', () => {
    expect(databaseUrlFault('mysql://user:geheim%@one/registry')).toBe(
      'has a % that is not part of an escape: write %25 for a % in a name or a password',
    );
  });
});
