import { mkdtempSync, statSync } from 'node:fs';
import { createServer, type Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { draft } from '../../test/support/memory-store.js';
import { until } from '../../test/support/until.js';
import type { WantedChange, WantedCreation, WantedGroup, WantedWrite } from '../assets/wanted-write.js';
import { DoneBefore } from '../auth/repeatable.js';
import type { Asset } from '../database/entities/asset.entity.js';
import type { Receipt } from '../database/entities/receipt.entity.js';
import { preconditionFailed, unavailable } from '../errors/errors.js';
import type { Waiter } from '../feed/writing/operation.js';
import { stamp } from '../feed/writing/written-rows.js';
import { HostWriter } from './host-writer.js';
import { LINK_LIMITS } from './writer-link.js';
import { WriterServer } from './writer-server.js';

const asked = { author: { account: 'broker', requestId: 'r1' }, bytes: 10, waitedMs: 5 };
const newAsset = (id = 'a'): WantedCreation => ({ id, draft: draft(id), ...asked });
const change: WantedChange = {
  id: 'a',
  patch: { title: 'Ділянка' },
  permission: { account: { name: 'broker', role: 'broker' }, sent: undefined },
  ...asked,
};
const group: WantedGroup = {
  members: ['a', 'b'].map((id) => ({ id, patch: { status: 'active' } })),
  account: { name: 'concierge', role: 'concierge' },
  readBytes: 20,
  ...asked,
};
const idsOf = (wanted: WantedWrite): string[] =>
  'members' in wanted ? wanted.members.map(({ id }) => id) : [wanted.id];
const made = (wanted: WantedWrite): Asset[] => idsOf(wanted).map((id) => stamp(draft(id), undefined, 17, 'UA-1'));
const stays: Waiter = { isGone: () => false, whenGone: () => undefined };

/** The process that writes: what it was asked for, and what it does with it. */
let there: WantedWrite[];
let answer: (wanted: WantedWrite, waiter: Waiter) => Promise<Asset[]>;
let server: WriterServer;
let here: WantedWrite[];
let writer: HostWriter;
let outcomes: string[];
const observer = { forwarded: (outcome: string): void => void outcomes.push(outcome) };

const writeHere = (wanted: WantedWrite): Promise<Asset[]> => {
  here.push(wanted);
  return Promise.resolve(made(wanted));
};
const write = (wanted: WantedWrite, waiter = stays): Promise<Asset[]> => writer.write(wanted, waiter, writeHere);

/** Follows the socket, until a write went there. */
async function follow(path: string): Promise<void> {
  writer.follow(path);
  await until(async () => {
    await write(newAsset('first'));
    return there.length > 0;
  });
  there = [];
  here = [];
  outcomes = [];
}

beforeEach(async () => {
  there = [];
  here = [];
  answer = (wanted) => Promise.resolve(made(wanted));
  const take = (wanted: WantedWrite, waiter: Waiter): Promise<Asset[]> => {
    there.push(wanted);
    return answer(wanted, waiter);
  };
  server = (await WriterServer.listen({ writeHere: take })) as WriterServer;
  outcomes = [];
  writer = new HostWriter(observer);
  await follow(server.path);
});
afterEach(async () => {
  writer.follow(undefined);
  await server.close();
});

describe('a write of a process that does not write for all', () => {
  it('of several assets is one there, too', async () => {
    await expect(write(group)).resolves.toEqual(made(group));
    expect(there).toEqual([{ ...group, waitedMs: expect.any(Number) }]);
  });

  it('is decided where the lane is, and answered with the asset as it is there', async () => {
    await expect(write(change)).resolves.toEqual(made(change));
    expect(there).toEqual([
      { ...change, waitedMs: expect.any(Number), permission: { account: change.permission.account } },
    ]);
    expect(here).toEqual([]);
    expect(outcomes).toEqual(['answered']);
  });

  it('fails with the same refusal', async () => {
    const refusal = unavailable('lane_full');
    answer = () => Promise.reject(refusal);
    await expect(write(change)).rejects.toEqual(refusal);
    answer = () => Promise.reject(preconditionFailed());
    await expect(write(change)).rejects.toMatchObject({ status: 412, faults: preconditionFailed().faults });
  });

  it('that was made before with its Idempotency-Key says so, with what was kept', async () => {
    const receipt: Receipt = { id: 'k', bodyDigest: 'd', assetId: 'a', salt: 's', createdUs: 1 };
    answer = () => Promise.reject(new DoneBefore(receipt));
    await expect(write(newAsset())).rejects.toMatchObject({ receipt });
  });

  it('fails with the text of a defect', async () => {
    answer = () => Promise.reject(new TypeError('x is not a function'));
    await expect(write(change)).rejects.toThrow(/In the process that writes: TypeError: x is not a function/);
  });

  it('keeps a text of a megabyte, whatever its characters and wherever it is cut on the way', async () => {
    const patch = { title: 'Ї\n\u2028"🏠\ud800'.repeat(120_000) };
    await write({ ...change, patch });
    expect((there[0] as WantedChange).patch).toEqual(patch);
  });

  it.each<[string, WantedWrite]>([
    ['a change', { ...change, patch: { value: { amount: NaN } } }],
    ['one of several', { ...group, members: [...group.members, { id: 'c', patch: { items: [{ quantity: NaN }] } }] }],
  ])('is decided here where %s has a number that cannot be kept: on the way it would be null', async (_, wanted) => {
    await write(wanted);
    expect([there, here]).toEqual([[], [wanted]]);
  });

  it('tells there that its client has gone, and is not answered', async () => {
    let leave = (): void => undefined;
    const leaves: Waiter = { isGone: () => false, whenGone: (act) => void (leave = act) };
    let gone = false;
    answer = (_, waiter) => new Promise(() => waiter.whenGone(() => (gone = true)));
    const answered = write(change, leaves);
    await until(() => there.length === 1);
    leave();
    await expect(answered).rejects.toMatchObject({ status: 503 });
    await until(() => gone);
  });
});

describe('who cannot reach the process that writes', () => {
  it('writes by itself, and there again once it can', async () => {
    writer.follow(join(tmpdir(), 'there-is-no-such.sock'));
    await write(newAsset());
    expect(here).toHaveLength(1);
    expect(outcomes).toEqual(['here']);
    await follow(server.path);
  });

  it('writes by itself from when that one ends, which answers what it has begun', async () => {
    let settle = (): void => undefined;
    answer = (wanted) => new Promise((resolve) => (settle = () => resolve(made(wanted))));
    const begun = write(newAsset('a'));
    await until(() => there.length === 1);
    server.beginEnd();
    await until(async () => {
      const later = write(newAsset('b'));
      await later;
      return here.length > 0;
    });
    settle();
    await expect(begun).resolves.toMatchObject([{ id: 'a' }]);
    expect(here.flatMap(idsOf).every((id) => id === 'b')).toBe(true);
    expect(there.flatMap(idsOf)).toEqual(['a']);
  });
});

describe('when the connection breaks before an answer', () => {
  let rude: Server;
  let folder: string;
  const sockets: Socket[] = [];

  /** A process that takes everything and tells nothing, once it has told that it did not begin the first. */
  async function followRude(limits = LINK_LIMITS): Promise<void> {
    writer.follow(undefined);
    writer = new HostWriter(observer, limits);
    rude = createServer((socket) => {
      sockets.push(socket);
      let rest = '';
      socket.on('data', (chunk) => {
        const lines = (rest + String(chunk)).split('\n');
        rest = lines.pop() as string;
        for (const { n, wanted } of lines.map((line) => JSON.parse(line) as { n: number; wanted?: WantedWrite }))
          if (wanted !== undefined && idsOf(wanted).includes('first')) socket.write(`{"n":${n},"untouched":true}\n`);
          else if (wanted !== undefined) there.push(wanted);
      });
    });
    folder = mkdtempSync(join(tmpdir(), 'rude-'));
    const path = join(folder, 'writer.sock');
    await new Promise<void>((resolve) => void rude.listen(path, resolve));
    writer.follow(path);
    await until(async () => {
      here = [];
      if (sockets.length === 1) await write(newAsset('first'));
      // Where the machine stood still for as long as a request waits, it was not told so, and will be.
      const [first] = here as WantedCreation[];
      return first !== undefined && first.waitedMs !== 5 && first.askedBefore === undefined;
    });
    here = [];
  }
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    rude.close();
    removeFolder(folder);
  });

  it('a creation is made here, where it is looked for first; nobody knows of a change, of several assets too: 503', async () => {
    await followRude();
    const [created, ...changed] = [write(newAsset()), write(change), write(group)];
    const refused = Promise.allSettled(changed);
    await until(() => there.length > 0);
    sockets[0]?.destroy();
    await expect(created).resolves.toMatchObject([{ id: 'a' }]);
    expect(await refused).toMatchObject([{ reason: { status: 503 } }, { reason: { status: 503 } }]);
    expect(here).toEqual([{ ...newAsset(), askedBefore: true, waitedMs: expect.any(Number) }]);
    expect(outcomes.slice(-3)).toEqual(['unknown', 'unknown', 'unknown']);
  });

  it('what comes after a silence is written here until it is heard again, and what was asked is 503 at its deadline', async () => {
    await followRude({ ...LINK_LIMITS, silenceMs: 0, deadlineMs: 300 });
    const changed = write(change);
    changed.catch(() => undefined);
    await until(() => there.length > 0);
    await write(newAsset('b'));
    expect(here).toEqual([newAsset('b')]);
    await expect(changed).rejects.toMatchObject({ status: 503 });
    await write(newAsset('c'));
    sockets[0]?.write('{"n":7,"untouched":true}\n');
    const before = there.length;
    await until(async () => {
      write(change).catch(() => undefined);
      await new Promise((resolve) => void setTimeout(resolve, 5));
      return there.length > before;
    });
    expect(here.slice(0, 2)).toEqual([newAsset('b'), newAsset('c')]);
  });

  it('a group is no reason to take it for frozen: it may wait there for others', async () => {
    await followRude({ ...LINK_LIMITS, silenceMs: 0, groupSilenceMs: Infinity });
    const answers = [write(group)];
    await until(() => there.length === 1);
    answers.push(write(change));
    for (const one of answers) one.catch(() => undefined);
    await until(() => there.length + here.length === 2);
    expect(here).toEqual([]);
    await write(newAsset('b'));
    expect(here).toEqual([newAsset('b')]);
    sockets[0]?.destroy();
    expect(await Promise.allSettled(answers)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  });

  it('where there can be no socket, none is told of', async () => {
    expect(await WriterServer.listen({ writeHere }, '/nowhere')).toBeUndefined();
  });

  it('and it reads nothing: what comes next is written here', async () => {
    await followRude({ ...LINK_LIMITS, waitingBytes: 1 });
    for (const socket of sockets) socket.pause();
    const long = { ...change, patch: { title: 'x'.repeat(4_000_000) } };
    const unread = write(long);
    unread.catch(() => undefined);
    await new Promise((resolve) => void setImmediate(resolve));
    await write(newAsset('b'));
    expect(here).toEqual([newAsset('b')]);
  });
});

describe('the socket', () => {
  it('is in a folder that no other user may enter', () => {
    expect(statSync(dirname(server.path)).mode & 0o777).toBe(0o700);
  });

  it('lives on where a connection cannot be accepted, as when the process has no descriptor left', async () => {
    const { server: listener } = server as unknown as { server: Server };
    for (let i = 0; i < 2; i++) expect(() => listener.emit('error', new Error('accept EMFILE'))).not.toThrow();
    await write(change);
    expect(there).toHaveLength(1);
  });
});
