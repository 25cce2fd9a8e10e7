/**
 * Single-flight: one call at a time, shared by all who wait for it. Whoever comes while a call is under way shares the next one, because the
 * current one may have read too early for them.
 */
export class SingleFlight<T> {
  private current: Promise<T> | undefined;
  private next: Promise<T> | undefined;

  constructor(private readonly call: () => Promise<T>) {}

  /** The result of a call that begins after this moment. */
  run(): Promise<T> {
    if (this.current === undefined) return this.begin();
    this.next ??= this.current.then(
      () => this.beginNext(),
      () => this.beginNext(),
    );
    return this.next;
  }

  private beginNext(): Promise<T> {
    this.next = undefined;
    return this.begin();
  }

  private begin(): Promise<T> {
    const begun = this.call();
    this.current = begun;
    const forget = (): void => {
      if (this.current === begun) this.current = undefined;
    };
    begun.then(forget, forget);
    return begun;
  }
}
