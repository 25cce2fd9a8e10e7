export interface Progress {
  /**
   * Begins a step.
   * @param total in rows or pages
   */
  begin(step: string, total: number): void;
  /** @param done of the total, since the step began */
  reach(done: number): void;
  end(): void;
}
