import { unavailable } from '../errors/errors.js';

/** A semaphore that refuses instead of waiting: costly work that anyone may ask for must not take all of a process. */
export class RefusingSemaphore {
  private underWay = 0;

  constructor(private readonly most: number) {}

  /** @returns what releases the place again (further calls do nothing) @throws ApiError 503 when all places are taken */
  acquire(): () => void {
    if (this.underWay >= this.most) throw unavailable('Too many of these are under way: try again soon');
    this.underWay++;
    let isReleased = false;
    return () => {
      if (!isReleased) this.underWay--;
      isReleased = true;
    };
  }
}
