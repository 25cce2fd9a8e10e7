import { describe, expect, it } from '@jest/globals';
import { classifyFailure, describeRefusal, describeFailure } from './mysql-errors.js';

function failed(message: string, more: object): Error {
  return Object.assign(new Error(message), more);
}

describe('a refused login', () => {
  const denied = failed("Access denied for user 'u'@'h' (using password: YES)", { errno: 1045 });

  it('for the password may mean that TLS is required, if there was none', () => {
    expect(describeRefusal(denied, true)).toMatch(
      /refuses the user, password .*, or requires TLS for this user: then append/,
    );
    expect(describeRefusal(denied, false)).toBe('the server refuses the user, password or database name of the URL');
    expect(describeRefusal(failed('Unknown database', { errno: 1049 }), true)).not.toMatch(/tls/);
  });

  it('for lack of TLS names the parameter to add', () =>
    expect(describeRefusal(failed('prohibited', { errno: 3159 }), true)).toMatch(
      /takes encrypted connections only: append \?tls=verify .* or \?tls=require$/,
    ));

  it('for the certificate gives the reason, also if TypeORM has wrapped the error', () => {
    const expired = failed('certificate has expired', { code: 'HANDSHAKE_SSL_ERROR' });
    expect(describeRefusal(expired, false)).toMatch(/\(certificate has expired\)\. tls=verify requires/);
    expect(describeRefusal(failed('Query failed', { driverError: expired }), false)).toMatch(
      /\(certificate has expired\)/,
    );
  });

  it.each([
    ['read ECONNRESET', { code: 'HANDSHAKE_SSL_ERROR', errno: -104, syscall: 'read' }],
    [
      'Client network socket disconnected before secure TLS connection was established',
      { code: 'HANDSHAKE_SSL_ERROR' },
    ],
    ['connect ECONNREFUSED', { code: 'ECONNREFUSED', errno: -111, syscall: 'connect' }],
    ['Too many connections', { errno: 1040 }],
  ])('is not assumed for a temporary failure: %s', (message, more) =>
    expect(describeRefusal(failed(message, more), false)).toBeUndefined(),
  );
});

describe('a right that the user lacks', () => {
  it.each([
    [1142, "INSERT command denied to user 'u'@'h' for table `db`.`revision`", ' (INSERT on revision)'],
    [1142, "SELECT, UPDATE command denied to user 'u'@'h' for table 'asset'", ' (SELECT, UPDATE on asset)'],
    [1143, "UPDATE command denied to user 'u'@'h' for column 'used_day' in table 'api_key'", ' (UPDATE on api_key)'],
    [1142, "INSERT befehl verweigert für benutzer 'u'@'h' auf tabelle 'revision'", ''],
    [1227, 'Access denied; you need (at least one of) the SUPER privilege(s) for this operation', ''],
  ])('is named without the rest of the message (%i %s)', (errno, message, right) => {
    const error = failed(message, { errno });
    expect(classifyFailure(failed('Query failed', { driverError: error }))).toBe('refused');
    expect(describeFailure(error)).toBe(
      `its user lacks a right${right}: see "Users of the database" in the documentation`,
    );
  });
});

describe('a failure to connect counts as away, whatever its code', () => {
  it.each([
    ['EAI_FAIL', 'getaddrinfo', 'the name of its host is not known'],
    ['EMFILE', 'connect', 'this service can open no more files: see its LimitNOFILE'],
    ['EADDRNOTAVAIL', 'connect', 'its answer is EADDRNOTAVAIL'],
  ])('%s', (code, syscall, trouble) => {
    const error = failed(`${syscall} ${code}`, { code, syscall, errno: -3004 });
    expect([classifyFailure(error), classifyFailure(failed('Query failed', { driverError: error }))]).toEqual([
      'away',
      'away',
    ]);
    expect(describeFailure(error)).toBe(trouble);
  });
});
