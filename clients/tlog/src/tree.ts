import { hash } from 'node:crypto';

/*
 * Merkle trees of RFC 6962, with SHA-256.
 */

export const HASH_BYTES = 32;
const LEAF = '\0';
const LEAF_BYTES = Buffer.from(LEAF);
/** Input of a node's hash: a byte 1 and two hashes. Reusing the buffer halves the cost. */
const node = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

/** The hash of an entry. */
export function leafHash(entry: string | Buffer): Buffer {
  return hashOf(typeof entry === 'string' ? LEAF + entry : Buffer.concat([LEAF_BYTES, entry]));
}

export function nodeHash(left: Buffer, right: Buffer): Buffer {
  node.set(left, 1);
  node.set(right, 1 + HASH_BYTES);
  return hashOf(node);
}

/** Via a latin1 string, which is twice as fast as a buffer. */
function hashOf(bytes: string | Buffer): Buffer {
  return Buffer.from(hash('sha256', bytes, 'binary'), 'latin1');
}

/** Computes the root of a tree that grows leaf by leaf, with one hash in memory for each level. */
export class TreeRoot {
  /** Roots of perfect subtrees, largest first; their sizes are the binary digits of `size`. */
  private readonly whole: Buffer[] = [];
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(leaf: Buffer): void {
    let last = leaf;
    for (let rest = this.count; rest % 2 === 1; rest = Math.floor(rest / 2))
      last = nodeHash(this.whole.pop() as Buffer, last);
    this.whole.push(last);
    this.count++;
  }

  root(): Buffer {
    if (this.whole.length === 0) return hashOf('');
    return this.whole.reduceRight((right, left) => nodeHash(left, right));
  }
}

/** @param leaves hashes of entries */
export function rootOf(leaves: Iterable<Buffer>): Buffer {
  const tree = new TreeRoot();
  for (const leaf of leaves) tree.add(leaf);
  return tree.root();
}

/**
 * Whether a leaf is in a tree.
 * @param place of the leaf, from 0
 * @param size of the tree
 * @param proof hashes from the leaf's sibling up
 */
export function isIncluded(
  leaf: Buffer,
  place: number,
  { size, root }: { size: number; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (!Number.isSafeInteger(place) || place < 0 || place >= size) return false;
  let [at, last] = [place, size - 1];
  let sum = leaf;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      sum = nodeHash(sibling, sum);
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else {
      sum = nodeHash(sum, sibling);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && sum.equals(root);
}

/** Whether the older tree is a prefix of the newer one. @param proof RFC 6962, section 2.1.2 */
export function isConsistent(
  older: { size: number; root: Buffer },
  newer: { size: number; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  if (older.size > newer.size || older.size < 0) return false;
  if (older.size === 0) return proof.length === 0 && older.root.equals(rootOf([]));
  return isGrown(older, newer, proof);
}

function isGrown(
  older: { size: number; root: Buffer },
  newer: { size: number; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  let [at, last] = [older.size - 1, newer.size - 1];
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  // If the older tree is perfect, the proof omits its root.
  const [first, ...others] = at === 0 ? [older.root, ...proof] : proof;
  if (first === undefined) return false;
  let [was, is] = [first, first];
  for (const sibling of others) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      [was, is] = [nodeHash(sibling, was), nodeHash(sibling, is)];
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else {
      is = nodeHash(is, sibling);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && was.equals(older.root) && is.equals(newer.root);
}

function half(number: number): number {
  return Math.floor(number / 2);
}
