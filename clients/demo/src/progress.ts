/** Told how many of the requests are done. */
export interface Progress {
  begin(step: string, total: number): void;
  /** @param done of the total */
  reach(done: number): void;
  end(): void;
}
