import {
  checkpointIn,
  commitmentOf,
  hasSigned,
  leafOf,
  LOG,
  merkleRoot,
  type SeenCheckpoint,
  type SeenEntry,
} from './log-reader.js';
import { microsOf, publicStatesOf } from './log-watch.js';
import type { Sender } from './registry.js';

/** A registry that also serves bytes. */
type Verified = Sender & LogLocation;

interface LogLocation {
  url: string;
}

/** The state that a verifier keeps: the key, the checkpoint, and the hash of each entry. */
export interface VerifierState {
  publicKey: string;
  checkpoint: SeenCheckpoint;
  leaves: readonly Buffer[];
}

/** A defect of the log, or of the states that it commits to. */
class LogFault extends Error {
  /** @param place index of the entry; undefined if the fault is not of a single entry */
  constructor(
    readonly place: number | undefined,
    why: string,
  ) {
    super(why);
  }
}

interface EntryText {
  id: string;
  date: string;
  dateModified: string;
  commitment: string | null;
}

/**
 * Verifies a log and all states in it, by the specifications alone.
 * @param seen result of the last verification; undefined for the first
 * @returns the new state
 * @throws LogFault for the first defect
 */
export async function verifyLog(registry: Verified, publicKey: string, seen?: VerifierState): Promise<VerifierState> {
  const { status, text } = await registry.send(`${LOG}/checkpoint`);
  const checkpoint = checkpointIn(text);
  if (status !== 200 || !hasSigned(publicKey, text)) throw new LogFault(undefined, 'no signed checkpoint');
  if (seen !== undefined && checkpoint.origin !== seen.checkpoint.origin) throw new LogFault(undefined, 'another log');
  const texts = await readBundles(registry, checkpoint.size);
  const leaves = texts.map(leafOf);
  const forked = (seen?.leaves ?? []).findIndex((leaf, place) => leaves[place]?.equals(leaf) === false);
  if (forked >= 0) throw new LogFault(forked, 'another entry than before');
  if (checkpoint.size < (seen?.checkpoint.size ?? 0)) throw new LogFault(checkpoint.size, 'smaller than before');
  if (merkleRoot(leaves).toString('base64') !== checkpoint.root) throw new LogFault(undefined, 'another root');
  const entries = texts.map((one) => JSON.parse(one) as EntryText);
  assertInOrder(entries);
  for (const [place, entry] of entries.entries()) assertBound(place, entry, await stateOf(registry, place, texts));
  await assertHistories(registry, entries);
  return { publicKey, checkpoint, leaves };
}

/** All entries, from the bundles of C2SP tlog-tiles. @throws LogFault for the first missing entry */
export async function readBundles(registry: LogLocation, size: number): Promise<string[]> {
  const all: string[] = [];
  while (all.length < size) {
    const tile = all.length / 256;
    const width = Math.min(256, size - all.length);
    const bundle = (await bundleOf(registry, tile, width)) ?? [];
    if (bundle.length === 0) throw new LogFault(all.length + (await presentWidth(registry, tile, width)), 'no entry');
    all.push(...bundle);
  }
  return all;
}

async function bundleOf(registry: LogLocation, tile: number, width: number): Promise<string[] | undefined> {
  const number = String(tile).padStart(3, '0');
  const path = `${LOG}/tile/entries/${number}${width < 256 ? `.p/${width}` : ''}`;
  const response = await fetch(registry.url + path);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!response.ok) return undefined;
  const entries: string[] = [];
  for (let rest: Buffer = bytes; rest.length > 0;) {
    const end = 2 + rest.readUInt16BE();
    entries.push(rest.subarray(2, end).toString());
    rest = rest.subarray(end);
  }
  return entries;
}

/** The number of entries in a bundle before the first missing one. */
async function presentWidth(registry: LogLocation, tile: number, width: number): Promise<number> {
  let [there, missing] = [0, width];
  while (missing - there > 1) {
    const middle = (there + missing) >> 1;
    if ((await bundleOf(registry, tile, middle)) === undefined) missing = middle;
    else there = middle;
  }
  return there;
}

function assertInOrder(entries: readonly EntryText[]): void {
  const place = entries.findIndex(
    ({ dateModified }, i) => i > 0 && dateModified <= (entries[i - 1] as EntryText).dateModified,
  );
  if (place >= 0) throw new LogFault(place, 'not later than the entry before');
}

const pages = new WeakMap<readonly string[], Map<number, SeenEntry>>();

/** An entry of `log/assets`, read and cached page by page. */
async function stateOf(registry: Sender, place: number, texts: readonly string[]): Promise<SeenEntry> {
  const known = pages.get(texts) ?? new Map<number, SeenEntry>();
  pages.set(texts, known);
  if (!known.has(place)) {
    const { json } = await registry.send(`${LOG}/assets?from=${place}&limit=1000`);
    for (const one of (json?.data ?? []) as SeenEntry[]) known.set(one.place, one);
  }
  const shown = known.get(place);
  if (shown === undefined || shown.entry !== texts[place]) throw new LogFault(place, 'no such page, or another entry');
  return shown;
}

function assertBound(place: number, { id, date, dateModified, commitment }: EntryText, shown: SeenEntry): void {
  const { asset, opening } = shown;
  // A state that was damaged before it was logged has no commitment to check.
  if (commitment === null) return;
  if (asset === null) throw new LogFault(place, 'the state is gone');
  const instants = [date, dateModified].map(microsOf);
  const shownInstants = ['date', 'dateModified'].map((name) => microsOf(String(asset[name])));
  if (asset['id'] !== id || instants.join() !== shownInstants.join())
    throw new LogFault(place, 'the state of another entry');
  if (!('secret' in opening) || commitmentOf(asset, opening.secret) !== commitment)
    throw new LogFault(place, 'another state');
}

/** Every state in the histories must be in the log, and vice versa. */
async function assertHistories(registry: Sender, entries: readonly EntryText[]): Promise<void> {
  const states = await publicStatesOf(registry);
  const stateKey = (id: string, us: number): string => `${us} ${id}`;
  const shown = new Set(states.map(({ id, us }) => stateKey(id, us)));
  const recorded = entries.map(({ id, dateModified }) => stateKey(id, microsOf(dateModified)));
  const faults = recorded.flatMap((one, place) => (shown.has(one) ? [] : { place, why: 'no history shows it' }));
  const known = new Set(recorded);
  for (const { id, us } of states) {
    const place = entries.filter(({ dateModified }) => microsOf(dateModified) < us).length;
    if (!known.has(stateKey(id, us))) faults.push({ place, why: 'a history shows what the log does not have' });
  }
  const [first] = faults.toSorted((one, other) => one.place - other.place);
  if (first !== undefined) throw new LogFault(first.place, first.why);
}

/** The first defect, or undefined. */
export async function faultOf(registry: Verified, seen: VerifierState): Promise<LogFault | undefined> {
  try {
    await verifyLog(registry, seen.publicKey, seen);
    return undefined;
  } catch (error) {
    if (error instanceof LogFault) return error;
    throw error;
  }
}
