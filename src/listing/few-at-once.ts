import { unavailable } from '../errors/errors.js';

/** A semaphore that refuses instead of waiting: costly work that anyone may ask for must not take all of a process. */
export class FewAtOnce {
  private underWay = 0;

  constructor(private readonly most: number) {}

  /** @returns a function to call when the work is over (further calls do nothing) @throws ApiError 503 when too many are under way */
  begin(): () => void {
    if (this.underWay >= this.most) throw unavailable('Too many of these are under way: try again soon');
    this.underWay++;
    let isOver = false;
    return () => {
      if (!isOver) this.underWay--;
      isOver = true;
    };
  }
}
