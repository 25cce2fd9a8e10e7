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

/** When the log stands still, who was away is asked again for the same checkpoint. */
const ASK_AGAIN_MS = 60_000;
const MAX_BYTES = 16 * 1024;
/** A signature has a time behind it. */
const EPOCH = new Date(0);

/** Who countersigns checkpoints: where it is asked, and its key. */
interface Witness {
  key: VerifierKey;
  /** Without a slash at the end. */
  url: string;
}

/** Asks others to countersign (C2SP tlog-witness). What does not answer in time is left out, and asked again: with the next checkpoint, or later. */
export class Witnesses {
  /** How far each has seen the log of an origin. */
  private readonly seen = new Map<string, number>();
  private readonly troubled = new Set<Witness>();
  private againMs = -Infinity;

  constructor(private readonly witnesses: readonly Witness[]) {}

  /** Whether a witness has not signed a checkpoint, and it is time to ask again. @param signed the note as it is kept */
  isDue(signed: string): boolean {
    if (performance.now() < this.againMs) return false;
    return this.witnesses.some((witness) => cosignatureIn(signed, witness) === undefined);
  }

  /**
   * Asks every witness for its signature; each has two seconds to answer.
   * @param note signed by the log, of the root of `tree`
   * @param signed the checkpoint before this one: where it is the same, who has signed it is not asked again
   * @returns the note with the signatures that were given
   */
  async countersign(note: string, tree: LogTree, signed = ''): Promise<string> {
    this.againMs = performance.now() + ASK_AGAIN_MS;
    const known = signed.startsWith(note) ? signed : '';
    const lines = this.witnesses.map(async (one) => cosignatureIn(known, one) ?? this.tryOne(one, note, tree));
    return note + (await Promise.all(lines)).join('');
  }

  /** Adds the valid signatures of witnesses that another note with the same text has. */
  withThoseOf(other: string, note: string): string {
    if (textIn(other) !== textIn(note)) return note;
    const lacking = this.witnesses.filter((witness) => cosignatureIn(note, witness) === undefined);
    return note + lacking.map((witness) => cosignatureIn(other, witness) ?? '').join('');
  }

  private async tryOne(witness: Witness, note: string, tree: LogTree): Promise<string> {
    try {
      const line = await this.askOne(witness, note, tree);
      if (this.troubled.delete(witness)) logger.info({ witness: witness.key.name }, 'the witness countersigns again');
      return line;
    } catch (error) {
      if (!this.troubled.has(witness))
        logger.warn(
          { witness: witness.key.name, reason: reasonOf(error as Error) },
          'a witness does not countersign the log',
        );
      this.troubled.add(witness);
      return '';
    }
  }

  /** Where the witness has seen another size than we know of, it says which. */
  private async askOne(witness: Witness, note: string, tree: LogTree): Promise<string> {
    const [origin] = note.split('\n');
    const place = `${witness.url} ${origin}`;
    const signal = AbortSignal.timeout(TIME_BUDGETS_MS.witness);
    for (let attempt = 1; ; attempt++) {
      const old = this.seen.get(place) ?? 0;
      const response = await fetch(`${witness.url}/add-checkpoint`, {
        method: 'POST',
        body: await requestBody(old, note, tree),
        // Where it is asked is the operator's word alone.
        redirect: 'error',
        signal,
      });
      const text = await bounded(response);
      if (response.status === 200) {
        this.seen.set(place, tree.size);
        const cosigned = cosignatureIn(note + text, witness);
        if (cosigned !== undefined) return cosigned;
        throw new Error('its answer has no valid signature of the key that LOG_WITNESSES names');
      }
      const size = response.status === 409 && /^\d{1,15}\n$/.test(text) ? Number(text) : undefined;
      if (size === undefined || size > tree.size || attempt > 1)
        throw new Error(`it answers ${response.status}${size === undefined ? '' : `, and has seen ${size} entries`}`);
      this.seen.set(place, size);
    }
  }
}

/** Where there is no answer, fetch says only in the cause why. */
function reasonOf({ message, cause }: Error): string {
  const { message: why, code } = (cause ?? {}) as NodeJS.ErrnoException;
  return why || code || message;
}

async function requestBody(old: number, note: string, tree: LogTree): Promise<string> {
  const proof = old === 0 ? [] : await tree.consistencyProof(old);
  return [`old ${old}`, ...proof.map((hashed) => hashed.toString('base64')), '', note].join('\n');
}

/** A witness is not trusted to be short. */
async function bounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let left = MAX_BYTES;
  for await (const chunk of response.body ?? []) {
    left -= chunk.length;
    if (left < 0) throw new Error('its answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** What is signed. */
function textIn(note: string): string {
  return note.slice(0, note.indexOf('\n\n') + 1);
}

/** The witness's own line in a note; undefined where there is none, or it is not valid. */
function cosignatureIn(note: string, { key }: Witness): string | undefined {
  const text = textIn(note);
  const own = readableSignatures(note).filter(({ name, id }) => name === key.name && id === key.id);
  const valid = own.find(({ signature }) => isCosigned(key, text, signature) && timeOf(signature) > EPOCH);
  return valid && signatureLine(valid);
}

/**
 * Reads LOG_WITNESSES.
 * @param text pairs of a verifier key (signed-note, type 4) and a URL, with blanks or line ends between
 * @throws Error that says what is wrong
 */
export function parseWitnesses(text: string): Witness[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length % 2 !== 0) throw new Error('is pairs of a verifier key and a URL, with blanks between');
  return Array.from({ length: words.length / 2 }, (_, i) => toWitness(words[2 * i] ?? '', words[2 * i + 1] ?? ''));
}

function toWitness(text: string, url: string): Witness {
  const key = witnessKey(text);
  if (key === undefined)
    throw new Error(`has ${text}, which is no verifier key of a witness (C2SP tlog-cosignature, Ed25519)`);
  if (!URL.canParse(url) || !/^https?:\/\//.test(url)) throw new Error(`has ${url}, which is no http or https URL`);
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
