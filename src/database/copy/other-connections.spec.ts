import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Session } from '../session.js';
import { waitUntilAlone } from './other-connections.js';

/** Of a server that lists these. MariaDB tells ids as texts, where they are long. */
function sessionOf(...lists: { Id: unknown; db: string | null }[][]): Session {
  let asked = 0;
  const query = (sql: string): Promise<object[]> =>
    Promise.resolve(
      sql.startsWith('SHOW') ? (lists[Math.min(asked++, lists.length - 1)] ?? []) : [{ id: 7, db: 'registry' }],
    );
  return { query } as unknown as Session;
}

const OWN = { Id: '7', db: 'registry' };
const ELSEWHERE = [
  { Id: 5, db: null },
  { Id: 6, db: 'another' },
];

describe('who else is connected to a database', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('is nobody who is elsewhere on its server', async () => {
    await expect(waitUntilAlone(sessionOf([OWN, ...ELSEWHERE]))).resolves.toBe(0);
  });

  it('is not counted where it leaves soon, however long the machine stands still meanwhile', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(3_600_000).mockReturnValueOnce(0);
    const leaving = [OWN, { Id: 8, db: 'registry' }, ...ELSEWHERE];
    const others = waitUntilAlone(sessionOf(...Array.from({ length: 10 }, () => leaving), [OWN, ...ELSEWHERE]));
    await expect(others).resolves.toBe(0);
  });

  it('is counted where it stays', async () => {
    await expect(waitUntilAlone(sessionOf([OWN, { Id: 8, db: 'registry' }, { Id: 9, db: 'registry' }]))).resolves.toBe(
      2,
    );
  });

  it('is not known where the server lists nobody', async () => {
    await expect(waitUntilAlone(sessionOf([]))).rejects.toThrow('does not tell who is connected');
  });
});
