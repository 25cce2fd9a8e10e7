import { describe, expect, it } from '@jest/globals';
import { parseDatabaseUrl } from './database-url.js';

describe('DATABASE_URL', () => {
  it('is a file of SQLite', () => {
    expect(parseDatabaseUrl('sqlite:data/registry.sqlite')).toEqual({ kind: 'sqlite', path: 'data/registry.sqlite' });
  });

  it('is a server with a user, a password and a database, each percent-encoded', () => {
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
  ])('%s has its hosts in that order', (text, hosts) => {
    expect(parseDatabaseUrl(text)).toMatchObject({ hosts: hosts.map(([host, port]) => ({ host, port })) });
  });

  it.each([
    '',
    'sqlite:',
    'sqlite::memory:',
    'sqlite:folder/',
    'mysql://u:p@one',
    'mysql://u:p@one/',
    'mysql:///registry',
    'mysql://u:p@one,/registry',
    'mysql://u:p@one:x/registry',
    'mysql://u:p@one:70000/registry',
    'mysql://u:%@one/registry',
    'postgres://one/registry',
  ])('%j is none', (text) => expect(parseDatabaseUrl(text)).toBeUndefined());
});
