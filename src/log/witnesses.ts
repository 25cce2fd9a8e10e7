import {
  isCosigned,
  type LogTree,
  readableSignatures,
  readVerifierKey,
  signatureLine,
  timeOf,
  type VerifierKey,
} from '#tlog';
import { TIME_BUDGETS_MS } from '../platform/config/time-budgets.js';
import { logger } from '../platform/logging/logger.js';

/** When a witness that did not sign the newest checkpoint is asked again. */
const RETRY_AFTER_MS = 60_000;
const MAX_BYTES = 16 * 1024;
/** A valid cosignature has a later time. */
const EPOCH = new Date(0);

interface Witness {
  key: VerifierKey;
  /** Without a slash at the end. */
  url: string;
}

/** Requests cosignatures (C2SP tlog-witness). A witness that does not answer in time is skipped, and asked again with the next checkpoint or later. */
export class Witnesses {
  /** The size that each witness has seen, by URL and origin. */
  private readonly seen = new Map<string, number>();
  private readonly failing = new Set<Witness>();
  private retryAtMs = -Infinity;

  constructor(private readonly witnesses: readonly Witness[]) {}

  /** Whether a witness that has not signed a checkpoint should be asked again. @param signed the stored note */
  isDue(signed: string): boolean {
    if (performance.now() < this.retryAtMs) return false;
    return this.witnesses.some((witness) => cosignatureIn(signed, witness) === undefined);
  }

  /**
   * Asks all witnesses for their signatures, with a time-out of two seconds.
   * @param note signed by the log, of the root of `tree`
   * @param signed the previous checkpoint: if it is the same, witnesses that have signed it are not asked again
   * @returns the note with the signatures received
   */
  async countersign(note: string, tree: LogTree, signed = ''): Promise<string> {
    this.retryAtMs = performance.now() + RETRY_AFTER_MS;
    const known = signed.startsWith(note) ? signed : '';
    const lines = this.witnesses.map(async (one) => cosignatureIn(known, one) ?? this.tryOne(one, note, tree));
    return note + (await Promise.all(lines)).join('');
  }

  /** Adds the valid cosignatures of another note with the same text. */
  withCosignaturesOf(other: string, note: string): string {
    if (textIn(other) !== textIn(note)) return note;
    const lacking = this.witnesses.filter((witness) => cosignatureIn(note, witness) === undefined);
    return note + lacking.map((witness) => cosignatureIn(other, witness) ?? '').join('');
  }

  private async tryOne(witness: Witness, note: string, tree: LogTree): Promise<string> {
    try {
      const line = await this.askOne(witness, note, tree);
      if (this.failing.delete(witness)) logger.info({ witness: witness.key.name }, 'the witness countersigns again');
      return line;
    } catch (error) {
      if (!this.failing.has(witness))
        logger.warn(
          { witness: witness.key.name, reason: reasonOf(error as Error) },
          'a witness does not countersign the log',
        );
      this.failing.add(witness);
      return '';
    }
  }

  /** Retries once with the size that the witness reports, if that differs from ours. */
  private async askOne(witness: Witness, note: string, tree: LogTree): Promise<string> {
    const [origin] = note.split('\n');
    const key = `${witness.url} ${origin}`;
    const signal = AbortSignal.timeout(TIME_BUDGETS_MS.witness);
    for (let attempt = 1; ; attempt++) {
      const old = this.seen.get(key) ?? 0;
      const response = await fetch(`${witness.url}/add-checkpoint`, {
        method: 'POST',
        body: await requestBody(old, note, tree),
        // Only the operator decides which address is asked.
        redirect: 'error',
        signal,
      });
      const text = await readBounded(response);
      if (response.status === 200) {
        this.seen.set(key, tree.size);
        const cosigned = cosignatureIn(note + text, witness);
        if (cosigned !== undefined) return cosigned;
        throw new Error('its answer has no valid signature of the key that LOG_WITNESSES names');
      }
      const size = response.status === 409 && /^\d{1,15}\n$/.test(text) ? Number(text) : undefined;
      if (size === undefined || size > tree.size || attempt > 1)
        throw new Error(`it answers ${response.status}${size === undefined ? '' : `, and has seen ${size} entries`}`);
      this.seen.set(key, size);
    }
  }
}

/** If there is no answer, fetch has the reason only in `cause`. */
function reasonOf({ message, cause }: Error): string {
  const { message: reason, code } = (cause ?? {}) as NodeJS.ErrnoException;
  return reason || code || message;
}

async function requestBody(old: number, note: string, tree: LogTree): Promise<string> {
  const proof = old === 0 ? [] : await tree.consistencyProof(old);
  return [`old ${old}`, ...proof.map((hashed) => hashed.toString('base64')), '', note].join('\n');
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let left = MAX_BYTES;
  for await (const chunk of response.body ?? []) {
    left -= chunk.length;
    if (left < 0) throw new Error('its answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The signed part of a note. */
function textIn(note: string): string {
  return note.slice(0, note.indexOf('\n\n') + 1);
}

/** The witness's signature line in a note; undefined if there is no valid one. */
function cosignatureIn(note: string, { key }: Witness): string | undefined {
  const text = textIn(note);
  const own = readableSignatures(note).filter(({ name, id }) => name === key.name && id === key.id);
  const valid = own.find(({ signature }) => isCosigned(key, text, signature) && timeOf(signature) > EPOCH);
  return valid && signatureLine(valid);
}

/**
 * Reads LOG_WITNESSES.
 * @param text pairs of a verifier key (signed-note, type 4) and a URL, separated by white space
 * @throws Error
 */
export function parseWitnesses(text: string): Witness[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length % 2 !== 0) throw new Error('must be pairs of a verifier key and a URL, separated by spaces');
  return Array.from({ length: words.length / 2 }, (_, i) => toWitness(words[2 * i] ?? '', words[2 * i + 1] ?? ''));
}

function toWitness(text: string, url: string): Witness {
  const key = witnessKey(text);
  if (key === undefined)
    throw new Error(`has ${text}, which is not a verifier key of a witness (C2SP tlog-cosignature, Ed25519)`);
  if (!URL.canParse(url) || !/^https?:\/\//.test(url)) throw new Error(`has ${url}, which is not an http or https URL`);
  return { key, url: url.replace(/\/+$/, '') };
}

function witnessKey(text: string): VerifierKey | undefined {
  try {
    const key = readVerifierKey(text);
    return key.kind === 'witness' ? key : undefined;
  } catch {
    return undefined;
  }
}
