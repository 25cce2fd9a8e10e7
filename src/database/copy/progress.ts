/** Told how far a long piece of work has come. */
export interface Progress {
  /**
   * A new step begins.
   * @param total in the step's own units: rows or pages
   */
  begin(step: string, total: number): void;
  /** @param done of the total, since the step began */
  reach(done: number): void;
  /** The step under way is done. */
  end(): void;
}
