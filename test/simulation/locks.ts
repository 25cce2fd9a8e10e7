import type { VirtualTime } from './virtual-time.js';

interface Waiter {
  owner: object;
  /** @param isGranted false if the wait timed out or the locks were cleared */
  answer: (isGranted: boolean) => void;
}

interface Lock {
  owner: object;
  waiters: Waiter[];
}

/** Exclusive locks, granted in order of request; an owner releases all of its locks at once. */
export class Locks {
  private readonly locks = new Map<string, Lock>();
  private readonly keysOf = new Map<object, string[]>();

  constructor(
    private readonly time: VirtualTime,
    private readonly patienceMs: number,
  ) {}

  /** @returns false when it was not granted in time */
  acquire(owner: object, key: string): Promise<boolean> {
    const lock = this.locks.get(key);
    if (lock === undefined) {
      this.locks.set(key, { owner, waiters: [] });
      this.note(owner, key);
      return Promise.resolve(true);
    }
    if (lock.owner === owner) return Promise.resolve(true);
    return new Promise((resolve) => {
      const cancelTimeout = this.time.after(this.patienceMs, () => {
        lock.waiters = lock.waiters.filter((other) => other !== waiter);
        resolve(false);
      });
      const waiter: Waiter = {
        owner,
        answer: (isGranted) => {
          cancelTimeout();
          resolve(isGranted);
        },
      };
      lock.waiters.push(waiter);
    });
  }

  isFree(owner: object, key: string): boolean {
    return (this.locks.get(key)?.owner ?? owner) === owner;
  }

  releaseAll(owner: object): void {
    const keys = this.keysOf.get(owner) ?? [];
    this.keysOf.delete(owner);
    for (const key of keys) this.passOn(key);
    for (const lock of this.locks.values()) lock.waiters = lock.waiters.filter((waiter) => waiter.owner !== owner);
  }

  /** Drops all locks, as after a crash, and refuses the waiters. */
  clear(): void {
    const waiters = [...this.locks.values()].flatMap((lock) => lock.waiters);
    this.locks.clear();
    this.keysOf.clear();
    for (const waiter of waiters) waiter.answer(false);
  }

  private passOn(key: string): void {
    const lock = this.locks.get(key) as Lock;
    const next = lock.waiters.shift();
    if (next === undefined) {
      this.locks.delete(key);
      return;
    }
    lock.owner = next.owner;
    this.note(next.owner, key);
    next.answer(true);
  }

  private note(owner: object, key: string): void {
    this.keysOf.set(owner, [...(this.keysOf.get(owner) ?? []), key]);
  }
}
