import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import { commitmentOf, erasedOpening, type Opening } from 'asset-registry-tlog';
import {
  bundlePath,
  leafHash,
  NotFound,
  readVerifierKey,
  rootOf,
  tilePath,
  TreeRoot,
} from '../../clients/typescript/src/index.js';
import type { LogSource } from '../../clients/sync/src/verifying/log/source.js';
import { readLogPage } from '../../clients/typescript/src/log/log-page.js';
import type { JsonObject } from './assets.js';

const WIDTH = 256;
/** Length of the DER prefix of an Ed25519 public key. */
const SPKI_BYTES = 12;
/** Time of a witness's cosignature. */
const SIGNED_SECONDS = 1_700_000_000;

/** A key of a log (type 1) or of a witness (type 4). */
export class FakeSigner {
  private readonly material: Buffer;
  private readonly key: KeyObject;

  constructor(
    readonly name: string,
    private readonly type: 1 | 4 = 1,
  ) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(SPKI_BYTES);
    this.material = Buffer.concat([Buffer.from([type]), raw]);
    this.key = privateKey;
    readVerifierKey(this.vkey);
  }

  get vkey(): string {
    return this.vkeyOf(this.name);
  }

  /** @param name the registry names its keys after the log's origin */
  vkeyOf(name: string): string {
    return `${name}+${this.id(name).toString('hex')}+${this.material.toString('base64')}`;
  }

  /** A signature line of a note. */
  line(text: string, name = this.name): string {
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(SIGNED_SECONDS));
    const signed = this.type === 1 ? text : `cosignature/v1\ntime ${SIGNED_SECONDS}\n${text}`;
    const parts = [this.id(name), ...(this.type === 1 ? [] : [time]), sign(null, Buffer.from(signed), this.key)];
    return `— ${name} ${Buffer.concat(parts).toString('base64')}\n`;
  }

  private id(name: string): Buffer {
    return hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), this.material]), 'buffer').subarray(0, 4);
  }
}

/** An epoch of the feed. Each but the first began with a restore. */
export function fakeEpoch(number: number): string {
  const random = hash('sha256', `epoch ${number}`, 'hex');
  return number === 1
    ? random.slice(0, 32)
    : `01${random.slice(0, 10)}7${random.slice(10, 13)}8${random.slice(13, 28)}`;
}

export function fakeOrigin(number: number): string {
  return `registry.example/${fakeEpoch(number)}`;
}

/** The state served with an entry. */
export interface FakeState {
  opening: Opening | null;
  asset: JsonObject | null;
}

/** Answers with bytes or with text. */
type FakeAnswer = Buffer | string;

/**
 * A log in memory, served like a registry's. Tests can corrupt each part of it: `entries` (bundles, and the entries of pages), `leaves` (hashes),
 * `states`, and the checkpoint in `note`.
 */
export class FakeLog {
  entries: string[] = [];
  leaves: Buffer[] = [];
  states: FakeState[] = [];
  /** Entries of `log/assets` that differ from those in the bundles. */
  pageEntries: Map<number, string> = new Map();
  /** Indexes of entries that are missing, though others of the bundle are served. */
  gone: Set<number> = new Set();
  /** Replaced hashes of higher levels, by level and index; undefined: missing, as if its row was deleted. */
  nodes: Map<string, Buffer | undefined> = new Map();
  /** The newest checkpoint. */
  note = '';
  size = 0;
  /** Entries per page; the registry's pages end at 2 MiB instead. */
  pageSize = 100;

  constructor(
    public origin = fakeOrigin(1),
    public signers = [new FakeSigner('registry.example')],
    public witnesses: FakeSigner[] = [],
  ) {}

  /** An independent copy, to be corrupted. */
  clone(): FakeLog {
    const other = new FakeLog(this.origin, [...this.signers], [...this.witnesses]);
    other.entries = [...this.entries];
    other.leaves = [...this.leaves];
    other.states = this.states.map(({ opening, asset }) => ({ opening, asset: structuredClone(asset) }));
    Object.assign(other, { note: this.note, size: this.size, pageSize: this.pageSize });
    return other;
  }

  /** @param asset as answered by the API @returns the index of its entry */
  append(asset: JsonObject): number {
    const secret = hash('sha256', `secret ${this.entries.length}`, 'buffer');
    const { id, date, dateModified } = asset as Record<string, string>;
    const entry = {
      id,
      date: utc(date as string),
      dateModified: utc(dateModified as string),
      commitment: commitmentOf(asset, secret),
    };
    this.put(this.entries.length, JSON.stringify(entry), { opening: { secret: secret.toString('base64') }, asset });
    return this.entries.length - 1;
  }

  /** Inserts an entry with its hash and its state. */
  put(place: number, entry: string, state: FakeState): void {
    this.entries.splice(place, 0, entry);
    this.leaves.splice(place, 0, leafHash(entry));
    this.states.splice(place, 0, state);
  }

  remove(place: number): void {
    this.entries.splice(place, 1);
    this.leaves.splice(place, 1);
    this.states.splice(place, 1);
  }

  /** An entry like the one at `place`, with another commitment. */
  otherEntry(place: number): string {
    const entry = JSON.parse(this.entries[place] as string) as JsonObject;
    return JSON.stringify({ ...entry, commitment: Buffer.alloc(32, place).toString('base64') });
  }

  /** Replaces an entry and its hash. */
  replace(place: number): this {
    const [entry, state] = [this.otherEntry(place), this.states[place] as FakeState];
    this.remove(place);
    this.put(place, entry, state);
    return this;
  }

  /** Erases top-level members of a state. */
  erase(place: number, names: readonly string[], at: string): void {
    const { opening, asset } = this.states[place] as FakeState;
    const others = Object.fromEntries(Object.entries(asset ?? {}).filter(([name]) => !names.includes(name)));
    const pointers = names.map((name) => `/${name}`);
    const redacted = pointers.map((pointer) => ({ pointer, reason: 'because', at }));
    const opened = erasedOpening(asset ?? {}, opening as Opening, pointers);
    this.states[place] = { opening: opened, asset: { ...others, redacted } };
  }

  /** Signs the current contents. */
  publish(): this {
    this.size = this.leaves.length;
    const text = `${this.origin}\n${this.size}\n${rootOf(this.leaves).toString('base64')}\n`;
    const lines = [
      ...this.signers.map((signer) => signer.line(text, this.origin)),
      ...this.witnesses.map((witness) => witness.line(text)),
    ];
    this.note = `${text}\n${lines.join('')}`;
    return this;
  }

  get identity(): { origin: string; publicKey: string; publicKeys: string[] } {
    const publicKeys = this.signers.map((signer) => signer.vkeyOf(this.origin));
    return { origin: this.origin, publicKey: publicKeys[0] as string, publicKeys };
  }

  /** The proof of a state. */
  proof(place: number): string {
    const { opening } = this.states[place] as FakeState;
    const extra = Buffer.from(JSON.stringify({ entry: this.entries[place], opening })).toString('base64');
    const hashes = pathTo(this.leaves.slice(0, this.size), place).map((one) => one.toString('base64'));
    return ['c2sp.org/tlog-proof@v1', `extra ${extra}`, `index ${place}`, ...hashes, '', this.note].join('\n');
  }

  /** The log as the typed client reads it, without a connection. */
  get source(): LogSource {
    const bytes = async (path: string): Promise<Buffer> => {
      const answer = this.answer(path, new URLSearchParams());
      if (answer === undefined) throw new NotFound({ method: 'GET', path, status: 404, faults: [] });
      return answer as Buffer;
    };
    return {
      of: () => this.source,
      identity: async () => this.identity,
      checkpoint: async () => this.note,
      tile: (tile) => bytes(tilePath(tile)),
      bundle: (tile) => bytes(bundlePath(tile)),
      page: async (from, { limit } = {}) => readLogPage(this.page(from, limit ?? this.pageSize)),
    };
  }

  /** @param path below `/api/0.1/log/`, with or without an epoch @returns undefined for 404 */
  answer(path: string, query: URLSearchParams): FakeAnswer | undefined {
    const [, epoch, below] = /^([0-9a-f]{32})\/(.*)$/.exec(path) ?? [];
    if (epoch !== undefined) return this.origin.endsWith(`/${epoch}`) ? this.answer(below as string, query) : undefined;
    if (path === 'checkpoint') return this.note;
    if (path === 'assets') return this.page(Number(query.get('from') ?? 0), Number(query.get('limit') ?? 100));
    const [, level, name = '', width = '256'] = /^tile\/(\d+|entries)\/([x\d/]+)(?:\.p\/(\d+))?$/.exec(path) ?? [];
    const number = Number(name.replaceAll(/\D/g, ''));
    const lacks = [...this.gone].some((place) => Math.floor(place / WIDTH) === number);
    if (level === undefined || (lacks && Number(level) !== 1)) return undefined;
    return level === 'entries' ? this.bundle(number, Number(width)) : this.tile(Number(level), number, Number(width));
  }

  private page(from: number, limit: number): string {
    const end = Math.min(from + Math.min(limit, this.pageSize), this.size);
    const data = [];
    for (let place = from; place < Math.min(end, this.entries.length); place++) {
      if (this.gone.has(place)) continue;
      const { opening, asset } = this.states[place] ?? { opening: null, asset: null };
      data.push({ place, entry: this.pageEntries.get(place) ?? this.entries[place], opening, asset });
    }
    return JSON.stringify({ data, size: this.size, next_page: { from: Math.max(from, end) } });
  }

  private bundle(number: number, width: number): Buffer | undefined {
    const entries = this.entries.slice(number * WIDTH, number * WIDTH + width);
    if (entries.length < width) return undefined;
    return Buffer.concat(
      entries.flatMap((entry) => {
        const [length, text] = [Buffer.alloc(2), Buffer.from(entry)];
        length.writeUInt16BE(text.length);
        return [length, text];
      }),
    );
  }

  private tile(level: number, number: number, width: number): Buffer | undefined {
    const span = WIDTH ** level;
    if ((number * WIDTH + width) * span > this.leaves.length) return undefined;
    const hashes = Array.from({ length: width }, (_, i) => {
      const key = `${level} ${number * WIDTH + i}`;
      return this.nodes.has(key) ? this.nodes.get(key) : this.node(level, number * WIDTH + i);
    });
    return hashes.some((one) => one === undefined) ? undefined : Buffer.concat(hashes as Buffer[]);
  }

  /** The hash at an index of a level. */
  node(level: number, place: number): Buffer {
    const span = WIDTH ** level;
    const tree = new TreeRoot();
    for (let at = place * span; at < (place + 1) * span; at++) tree.add(this.leaves[at] as Buffer);
    return tree.root();
  }
}

/** An asset with few fields, as answered by the API. */
export function fakeAsset(
  number: number,
  us: number,
  others: JsonObject = {},
): JsonObject & { id: string; dateModified: string } {
  const id = hash('sha256', `asset ${number}`, 'hex').slice(0, 32);
  const instant = kyiv(us);
  return {
    id,
    assetID: `UA-2026-11-23-${String(number).padStart(6, '0')}`,
    assetType: 'basic',
    status: 'pending',
    owner: 'broker',
    title: `Asset ${number}`,
    value: { amount: number, currency: 'UAH' },
    items: [{ description: `of ${number}` }, {}],
    date: instant,
    dateModified: instant,
    ...others,
  };
}

/** @param us microseconds since 1970 UTC */
export function kyiv(us: number): string {
  const ms = Math.floor(us / 1_000);
  const local = new Date(ms + 2 * 3_600_000).toISOString().slice(0, -1);
  return `${local}${String(us - ms * 1_000).padStart(3, '0')}+02:00`;
}

function utc(instant: string): string {
  const ms = Date.parse(instant.replace(/\.\d{6}/, ''));
  return new Date(ms).toISOString().replace('.000Z', `${/\.\d{6}/.exec(instant)?.[0] ?? ''}Z`);
}

/** RFC 6962, section 2.1.1. */
function pathTo(leaves: readonly Buffer[], place: number): Buffer[] {
  if (leaves.length <= 1) return [];
  const half = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  const [left, right] = [leaves.slice(0, half), leaves.slice(half)];
  return place < half ? [...pathTo(left, place), rootOf(right)] : [...pathTo(right, place - half), rootOf(left)];
}
