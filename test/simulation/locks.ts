import type { VirtualTime } from './virtual-time.js';

interface Waiter {
  owner: object;
  /** @param isGranted false when it never will be */
  answer: (isGranted: boolean) => void;
}

interface Lock {
  owner: object;
  waiters: Waiter[];
}

/** Exclusive locks, granted in the order of asking and held until their owner lets all of them go. */
export class Locks {
  private readonly locks = new Map<string, Lock>();
  private readonly held = new Map<object, string[]>();

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
      const callOff = this.time.after(this.patienceMs, () => {
        lock.waiters = lock.waiters.filter((other) => other !== waiter);
        resolve(false);
      });
      const waiter: Waiter = {
        owner,
        answer: (isGranted) => {
          callOff();
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
    const keys = this.held.get(owner) ?? [];
    this.held.delete(owner);
    for (const key of keys) this.passOn(key);
    for (const lock of this.locks.values()) lock.waiters = lock.waiters.filter((waiter) => waiter.owner !== owner);
  }

  /** As after a crash: nobody holds anything, and who waited is refused. */
  clear(): void {
    const waiters = [...this.locks.values()].flatMap((lock) => lock.waiters);
    this.locks.clear();
    this.held.clear();
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
    this.held.set(owner, [...(this.held.get(owner) ?? []), key]);
  }
}
