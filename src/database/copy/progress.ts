export interface Progress {
  /**
   * A new step begins.
   * @param total in the step's own units: rows or pages
   */
  begin(step: string, total: number): void;
  /** @param done of the total, since the step began */
  reach(done: number): void;
  end(): void;
}
