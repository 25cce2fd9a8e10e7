/** Where and as which of how many processes a server runs. */
export interface Place {
  process: number;
  processes: number;
}

/** Microseconds; no two processes get the same one. */
export class Clock {
  private last = 0;

  constructor(private readonly place: Place) {}

  now(): number {
    const us = Math.max(
      this.last + this.place.processes,
      Math.floor((performance.timeOrigin + performance.now()) * 1_000),
    );
    this.last = us - (us % this.place.processes) + this.place.process;
    return this.last;
  }
}
