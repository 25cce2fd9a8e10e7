import { describe, expect, it, jest } from '@jest/globals';
import { NotFetchedError, NotInstalledError } from '../../scripts/machine/apt-get.js';
import { otherThan, type Steps, testOn } from './other-server.js';

const fetchFails = (): Promise<never> => Promise.reject(new NotFetchedError('the mirror is away\nand said so twice'));

/** Steps that note what happens; the first attempts may fail. */
function stepsWith(attempts: (() => Promise<unknown>)[], code = 0) {
  const take = jest.fn<Steps['take']>().mockResolvedValue('/usr/sbin/mysqld');
  for (const attempt of attempts) take.mockImplementationOnce(attempt);
  const test = jest.fn<Steps['test']>().mockResolvedValue(code);
  return { take, test, pause: jest.fn<Steps['pause']>(), tell: jest.fn<Steps['tell']>() };
}

describe('the tests on the other server', () => {
  it('are on MySQL where npm test took MariaDB, else on MariaDB', () => {
    expect([otherThan('MariaDB'), otherThan('MySQL')]).toEqual(['MySQL', 'MariaDB']);
  });

  it.each([0, 1])('end with their own exit code, %s', async (code) => {
    const steps = stepsWith([], code);
    expect(await testOn('MySQL', steps)).toBe(code);
    expect(steps.tell).not.toHaveBeenCalled();
  });

  it('begin where the server could be fetched at the third attempt, after pauses', async () => {
    const steps = stepsWith([fetchFails, fetchFails], 1);
    expect(await testOn('MySQL', steps)).toBe(1);
    expect(steps.pause.mock.calls).toEqual([[15_000], [60_000]]);
  });

  it('are told not to be tried, and do not fail, where it could not be fetched three times', async () => {
    const steps = stepsWith([fetchFails, fetchFails, fetchFails]);
    expect(await testOn('MySQL', steps)).toBe(0);
    expect(steps.test).not.toHaveBeenCalled();
    const told = 'NOT TRIED: the tests on MySQL. None was found here, and the mirror is away and said so twice';
    expect(steps.tell).toHaveBeenLastCalledWith(told);
  });

  it('are told so at once where this machine can have none', async () => {
    const steps = stepsWith([() => Promise.reject(new NotInstalledError('you are not root'))]);
    expect(await testOn('MariaDB', steps)).toBe(0);
    expect(steps.take).toHaveBeenCalledTimes(1);
    expect(steps.tell).toHaveBeenCalledWith(expect.stringMatching(/^NOT TRIED: the tests on MariaDB\b.* not root$/));
  });

  it('fail where anything else is wrong with it', async () => {
    const steps = stepsWith([() => Promise.reject(new Error('it does not start'))]);
    await expect(testOn('MySQL', steps)).rejects.toThrow('it does not start');
  });
});
