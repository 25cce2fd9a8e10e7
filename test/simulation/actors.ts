import type { Asset } from '../../src/database/entities/asset.entity.js';
import { AlreadyDone } from '../../src/auth/idempotency.js';
import type { FeedEntry, FeedRange } from '../../src/database/readers/feed-reader.js';
import { ApiError } from '../../src/platform/errors/api-error.js';
import { changeRefused } from '../../src/platform/errors/errors.js';
import type { DecisionContext, DecidedAsset, Operation } from '../../src/feed/writing/operation.js';
import type { Random } from '../support/random.js';
import { KilledError, type SimulatedService } from './simulated-service.js';
import type { VirtualTime } from './virtual-time.js';
import { markOf, type Witness } from './witness.js';

/** State that the actors of one simulation share. */
export interface Stage {
  time: VirtualTime;
  witness: Witness;
  /** The processes that clients may send to; a killed one is replaced at the same index. */
  services: SimulatedService[];
  /** Assets that several writers change. */
  hot: string[];
  nextWrite: () => number;
  /** True once faults and writes have ended. */
  isQuiet: () => boolean;
}

const THOUGHT_MS = 20;
const MAX_HOT = 4;
const BYTES = 100;
const AUTHOR = { account: 'broker', requestId: 'r' };
const MAX_REPEATS = 20;
const REPEAT_PAUSE_MS = 500;

/** Creates assets, some of them for others to change too, and changes them; most are never touched again. */
export async function runWriter(stage: Stage, random: Random, operations: number): Promise<void> {
  const { time, witness, services, hot } = stage;
  const own: string[] = [];
  for (let i = 0; i < operations; i++) {
    const write = stage.nextWrite();
    if (random.chance(0.1)) {
      await createRepeatedly(stage, write, random);
      continue;
    }
    if (random.chance(0.15) && own.length > 1) {
      await changeGroup(stage, write, own, random);
      continue;
    }
    const id = random.chance(0.5) ? undefined : pickAsset(hot, own, random);
    const operation = id === undefined ? creation(write, random) : change(id, write, random);
    const afterUs = witness.highestUs;
    try {
      const [asset] = (await random.pick(services).submit(operation)) as [Asset];
      if (id !== undefined && !asset.body.includes(markOf(write))) continue;
      witness.acknowledge(asset, write, afterUs);
      if (id === undefined && hot.length < MAX_HOT) hot.push(asset.id);
      else if (id === undefined && random.chance(0.2)) own.push(asset.id);
    } catch (error) {
      takeRefusal(error, witness);
    }
    if (random.chance(0.3)) await time.sleep(random.next() * THOUGHT_MS);
  }
}

/** Sends a creation with a receipt until it is answered, sometimes twice at the same time; it must create one asset. */
async function createRepeatedly(stage: Stage, write: number, random: Random): Promise<void> {
  const { time, witness, services } = stage;
  for (let attempt = 1; attempt <= MAX_REPEATS; attempt++) {
    const outcomes = await Promise.allSettled(
      Array.from({ length: random.chance(0.3) ? 2 : 1 }, (_, i) =>
        random.pick(services).submit(repeatable(write, attempt * 2 + i, random)),
      ),
    );
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    const before = reasons.find((reason) => reason instanceof AlreadyDone);
    const made = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.map(({ id }) => id) : [],
    );
    const id = made[0] ?? before?.receipt.assetId;
    for (const reason of reasons) if (!(reason instanceof AlreadyDone)) takeRefusal(reason, witness);
    if (id !== undefined && (made.length > 0 || (await isThere(stage, id, random))))
      return witness.acknowledgeRepeatable(write, id);
    await time.sleep(random.next() * REPEAT_PAUSE_MS);
  }
}

/** Whether the asset of an earlier attempt can be read: only once it is durable. */
async function isThere({ witness, services }: Stage, id: string, random: Random): Promise<boolean> {
  try {
    return (await random.pick(services).find(id)) !== undefined;
  } catch (error) {
    takeRefusal(error, witness);
    return false;
  }
}

/** @param attempt makes the id differ for each attempt */
function repeatable(write: number, attempt: number, random: Random): Operation {
  const operation = creation(write, random);
  const created = operation.decide(undefined, { index: 0 }) as DecidedAsset;
  const id = `${attempt.toString(16)}${created.id.slice(attempt.toString(16).length)}`;
  const decide = (_: Asset | undefined, { receipt: kept }: DecisionContext): DecidedAsset => {
    if (kept !== undefined) throw new AlreadyDone(kept);
    return { ...created, id };
  };
  return {
    ...operation,
    ids: [id],
    decide,
    receipt: { id: `receipt ${write}`, bodyDigest: '', assetId: id, salt: '' },
  };
}

/** Changes several as one, some of which others change too: all of them in the end, or none. */
async function changeGroup(
  { witness, services, hot }: Stage,
  write: number,
  own: string[],
  random: Random,
): Promise<void> {
  const ids = [...new Set([...own.slice(-3), ...hot].filter(() => random.chance(0.7)))];
  if (ids.length === 0) return;
  const one = change(ids[0] as string, write, random);
  const refuse = (refusals: ReadonlyMap<number, ApiError>): ApiError => [...refusals.values()][0] as ApiError;
  const afterUs = witness.highestUs;
  witness.beginGroup(write, ids);
  try {
    const assets = await random
      .pick(services)
      .submit({ ...one, ids: random.chance(0.5) ? ids : ids.toReversed(), refuse });
    const changed = assets.filter(({ body }) => body.includes(markOf(write)));
    for (const asset of changed) witness.acknowledge(asset, write, afterUs);
    witness.acknowledgeGroup(write, changed);
  } catch (error) {
    takeRefusal(error, witness);
  }
}

/** Half of them others change too. */
function pickAsset(hot: readonly string[], own: readonly string[], random: Random): string | undefined {
  const assets = random.chance(0.5) ? hot : own;
  return assets.length === 0 ? undefined : random.pick(assets);
}

/** A refusal, a 503 or the end of the process may be answered at any time; anything else is a defect. */
export function takeRefusal(error: unknown, witness: Witness): void {
  const isExpected = error instanceof KilledError || (error instanceof ApiError && error.status !== 500);
  if (!isExpected) witness.broken(`a request failed: ${String(error)}`);
}

function creation(write: number, random: Random): Operation {
  const created: DecidedAsset = {
    id: write.toString(16).padStart(32, '0'),
    assetType: 'basic',
    status: 'pending',
    owner: 'broker',
    tokenDigest: '',
    relatedLot: null,
    body: markOf(write),
    listed: random.chance(0.9),
    changed: [],
  };
  return { ids: [created.id], creates: true, author: AUTHOR, bytes: BYTES, decide: () => created };
}

/** Adds its mark; or, now and then, changes nothing, or is refused. */
function change(id: string, write: number, random: Random): Operation {
  const [isEmpty, isRefused] = [random.chance(0.05), random.chance(0.05)];
  const decide = (current: Asset | undefined): DecidedAsset | undefined => {
    if (current === undefined || isRefused) throw changeRefused('pending');
    return isEmpty ? undefined : { ...current, body: current.body + markOf(write), listed: true, changed: [] };
  };
  return { ids: [id], creates: false, author: AUTHOR, bytes: BYTES, decide };
}

/** How a mirror follows the feed. */
export interface MirrorStyle {
  limit: number;
  /** First everything that there is, newest first; then forward from where that began. */
  backwardFirst: boolean;
  /** Goes back to an older offset now and then, as after a restart. */
  restarts: boolean;
  /** Asks for the asset behind an entry, of any process. */
  readsDetails: boolean;
}

const PAUSE_MS = 30;
const EVERYTHING = { afterUs: -1, beforeUs: Number.MAX_SAFE_INTEGER, newestFirst: false, whole: false };

/** A database that follows the feed to stay in step. */
export class Mirror {
  readonly shown = new Map<string, number>();
  private cursorUs = -1;
  private savedUs = -1;
  private checked = 0;

  constructor(
    private readonly stage: Stage,
    private readonly random: Random,
    private readonly style: MirrorStyle,
  ) {}

  /** Follows until all is quiet and a page is empty that was asked for then. */
  async follow(): Promise<void> {
    if (this.style.backwardFirst) await this.readBackward();
    for (;;) {
      const isQuiet = this.stage.isQuiet();
      const count = await this.readForward();
      if (count === 0 && isQuiet) return;
      if (count === 0) await this.stage.time.sleep(this.random.next() * PAUSE_MS);
      if (this.style.restarts && !isQuiet) this.restart();
    }
  }

  private async readBackward(): Promise<void> {
    for (let beforeUs = EVERYTHING.beforeUs; ;) {
      const page = await this.ask({ ...EVERYTHING, beforeUs, newestFirst: true, limit: this.style.limit });
      if (page === undefined) continue;
      if (beforeUs === EVERYTHING.beforeUs) this.cursorUs = page[0]?.modifiedUs ?? -1;
      if (page.length === 0) return;
      for (const { id, modifiedUs } of page) {
        if (modifiedUs >= beforeUs) this.broken(`${modifiedUs} comes after ${beforeUs}, newest first`);
        beforeUs = modifiedUs;
        this.take(id, modifiedUs);
      }
    }
  }

  /** @returns how many entries the page had; -1 when there was no answer */
  private async readForward(): Promise<number> {
    const acknowledged = this.stage.witness.acknowledged.length;
    const page = await this.ask({ ...EVERYTHING, afterUs: this.cursorUs, limit: this.style.limit });
    if (page === undefined) return -1;
    for (const { id, modifiedUs } of page) {
      if (modifiedUs <= this.cursorUs) this.broken(`${modifiedUs} comes after ${this.cursorUs}`);
      this.cursorUs = modifiedUs;
      this.take(id, modifiedUs);
    }
    if (page.length < this.style.limit) this.checkUpTo(acknowledged);
    const entry = page.at(-1);
    if (entry !== undefined && this.style.readsDetails) await this.checkDetail(entry);
    return page.length;
  }

  /** A page that is not full shows everything that was acknowledged before it was asked for. */
  private checkUpTo(acknowledged: number): void {
    for (; this.checked < acknowledged; this.checked++) {
      const { id, us } = this.stage.witness.acknowledged[this.checked] as { id: string; us: number };
      if ((this.shown.get(id) ?? 0) < us) {
        this.broken(
          `missed: ${id} at ${us}, the mirror has ${this.shown.get(id) ?? 'nothing'} and stands at ${this.cursorUs}`,
        );
      }
    }
  }

  private async checkDetail({ id, modifiedUs }: FeedEntry): Promise<void> {
    const asset = await this.attempt(() => this.random.pick(this.stage.services).find(id));
    if (asset === 'no answer') return;
    if (asset === undefined || asset.modifiedUs < modifiedUs)
      this.broken(`${id} is older than its entry ${modifiedUs}`);
    else this.stage.witness.show(id, asset.modifiedUs);
  }

  private restart(): void {
    const choice = this.random.int(0, 9);
    if (choice === 0) this.savedUs = this.cursorUs;
    if (choice === 1) this.cursorUs = this.savedUs;
  }

  private take(id: string, us: number): void {
    if (us > (this.shown.get(id) ?? 0)) this.shown.set(id, us);
    this.stage.witness.show(id, us);
  }

  private async ask(range: FeedRange): Promise<FeedEntry[] | undefined> {
    const page = await this.attempt(() => this.random.pick(this.stage.services).page(range));
    if (page === 'no answer') return undefined;
    this.stage.witness.pages.note(range, page);
    return page;
  }

  private async attempt<T>(request: () => Promise<T>): Promise<T | 'no answer'> {
    try {
      return await request();
    } catch (error) {
      takeRefusal(error, this.stage.witness);
      await this.stage.time.sleep(this.random.next() * PAUSE_MS);
      return 'no answer';
    }
  }

  private broken(sentence: string): void {
    this.stage.witness.broken(`${JSON.stringify(this.style)}: ${sentence}`);
  }
}
