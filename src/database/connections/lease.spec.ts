import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MysqlDialect } from '../dialects/mysql/mysql.dialect.js';
import type { History } from '../repositories/feed-history.js';
import { Lease, type WithSession } from './lease.js';
import type { Session } from './session.js';

describe('the lease of a service', () => {
  let done: string[];
  let write: () => Promise<void>;
  let lease: Lease;
  const follow = jest.fn<(history: History) => void>();

  beforeEach(() => {
    [done, write] = [[], () => Promise.resolve()];
    follow.mockClear();
    const session = {
      execute: () => (done.push('written'), write()),
      query: () => (done.push('read'), Promise.resolve([{ last_us: 7, epoch: 'e', copying: 'a backup' }])),
    };
    const withSession: WithSession = (work) => work(session as unknown as Session);
    lease = new Lease(new MysqlDialect(), withSession, () => 'refused', follow);
  });

  it('is written before the history is read, so that either a restore or the service sees the other', async () => {
    await lease.renew();
    expect(done).toEqual(['written', 'read']);
    expect(follow).toHaveBeenCalledWith(expect.objectContaining({ copying: 'a backup' }));
  });

  it('that cannot be written does not prevent seeing that the history is being replaced', async () => {
    write = () => Promise.reject(new Error('read-only'));
    await lease.renew();
    expect(follow).toHaveBeenCalledWith(expect.objectContaining({ copying: 'a backup' }));
  });
});
