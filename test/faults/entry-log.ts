const FIRST_SIZE = 1_024;

/** Entries of listing pages in the order in which they came; 16 bytes each, because there are many. */
export class EntryLog {
  length = 0;
  private assets = new Int32Array(FIRST_SIZE);
  private instants = new Float64Array(FIRST_SIZE);
  private digests = new Int32Array(FIRST_SIZE);

  /** @param digest of the whole asset; 0 where the page did not show it */
  push(asset: number, us: number, digest = 0): void {
    if (this.length === this.assets.length) this.grow();
    this.assets[this.length] = asset;
    this.instants[this.length] = us;
    this.digests[this.length] = digest;
    this.length += 1;
  }

  asset(at: number): number {
    return this.assets[at] as number;
  }

  us(at: number): number {
    return this.instants[at] as number;
  }

  digest(at: number): number {
    return this.digests[at] as number;
  }

  private grow(): void {
    const assets = new Int32Array(this.length * 2);
    assets.set(this.assets);
    this.assets = assets;
    const instants = new Float64Array(this.length * 2);
    instants.set(this.instants);
    this.instants = instants;
    const digests = new Int32Array(this.length * 2);
    digests.set(this.digests);
    this.digests = digests;
  }
}
