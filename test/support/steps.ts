/** Does `work` to its end. @returns what it makes, and how often it gave way to others */
export function inSteps<Result>(work: Generator<void, Result>): { result: Result; steps: number } {
  for (let steps = 0; ; steps++) {
    const step = work.next();
    if (step.done === true) return { result: step.value, steps };
  }
}
