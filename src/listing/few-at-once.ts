import { unavailable } from '../errors/errors.js';

/** Keeps costly work that anyone may ask for from taking all of a process. */
export class FewAtOnce {
  private underWay = 0;

  constructor(private readonly most: number) {}

  /** @returns what is to be called when it is over, once or more often @throws ApiError 503 when as many are under way */
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
