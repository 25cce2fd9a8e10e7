import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { checkpointIn, hasSigned, publicKeyOf, sha256 } from './log-reader.js';

/** A witness's behaviour: `well` follows the specification, the others break it. */
export type Behaviour =
  'well' | 'away' | 'silent' | 'trickling' | 'garbage' | 'short' | 'megabyte' | 'wrong' | 'timeless' | 'elsewhere';

/** The newest cosigned checkpoint of one origin. */
interface Cosigned {
  size: number;
  root: string;
}

const REQUEST = /^old (0|[1-9]\d{0,14})\n((?:[A-Za-z0-9+/]{43}=\n){0,63})\n([^]+)$/;

/** A witness written from C2SP tlog-witness and tlog-cosignature alone; it stores its cosigned checkpoints in a file. */
export class TestWitness {
  behaviour: Behaviour = 'well';
  /** Number of requests. */
  asked = 0;
  /** The status of each answer. */
  readonly answers: number[] = [];
  readonly verifierKey: string;
  private readonly key: KeyObject;
  private readonly id: Buffer;
  private readonly server: Server;

  private constructor(
    readonly name: string,
    private readonly file: string,
    private readonly keyOf: (origin: string) => string | undefined,
  ) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const encoded = Buffer.concat([
      Buffer.of(4),
      Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'),
    ]);
    this.key = privateKey;
    this.id = sha256(`${name}\n`, encoded).subarray(0, 4);
    this.verifierKey = `${name}+${this.id.toString('hex')}+${encoded.toString('base64')}`;
    this.server = createServer((request, response) => {
      if (this.behaviour === 'away') request.destroy();
      else void this.answer(request, response);
    });
  }

  /** @param file stores the cosigned checkpoints @param keyOf the verifier key of a known log, by origin */
  static async start(name: string, file: string, keyOf: (origin: string) => string | undefined): Promise<TestWitness> {
    const witness = new TestWitness(name, file, keyOf);
    await once(witness.server.listen(0, '127.0.0.1'), 'listening');
    return witness;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** An entry of LOG_WITNESSES. */
  get setting(): string {
    return `${this.verifierKey} ${this.url}`;
  }

  /** The newest cosigned checkpoint of an origin. */
  seen(origin: string): Cosigned | undefined {
    return this.stored()[origin];
  }

  /** Simulates that another process has submitted a checkpoint of that log. */
  remember(origin: string, cosigned: Cosigned | undefined): void {
    const { [origin]: _, ...others } = this.stored();
    writeFileSync(this.file, JSON.stringify(cosigned === undefined ? others : { ...others, [origin]: cosigned }));
  }

  /** Whether a checkpoint has a valid cosignature of this witness. */
  hasCosigned(note: string): boolean {
    const end = note.indexOf('\n\n');
    return note
      .slice(end + 2)
      .split('\n')
      .some((line) => {
        const [dash, signer, base64 = ''] = line.split(' ');
        const bytes = Buffer.from(base64, 'base64');
        const isOf = dash === '—' && signer === this.name && bytes.subarray(0, 4).equals(this.id);
        if (!isOf || bytes.length !== 76) return false;
        const time = bytes.readBigUInt64BE(4);
        const message = Buffer.from(`cosignature/v1\ntime ${time}\n${note.slice(0, end + 1)}`);
        return time > 0n && verify(null, message, publicKeyOf(this.verifierKey), bytes.subarray(12));
      });
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private stored(): Record<string, Cosigned> {
    return existsSync(this.file) ? (JSON.parse(readFileSync(this.file, 'utf8')) as Record<string, Cosigned>) : {};
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const isAsked = request.method === 'POST' && request.url?.startsWith('/add-checkpoint') === true;
    if (!isAsked) return this.reply(response, 404, '');
    this.asked++;
    if (request.url !== '/add-checkpoint') return this.judge(response, body);
    if (this.behaviour === 'silent') return;
    if (this.behaviour === 'trickling') return void response.write('— ');
    if (this.behaviour === 'elsewhere')
      return this.reply(response, 307, '', { Location: `${this.url}/add-checkpoint?again` });
    const spoilt = this.spoiltAnswer();
    if (spoilt === undefined) this.judge(response, body);
    else this.reply(response, 200, spoilt);
  }

  private spoiltAnswer(): string | undefined {
    if (this.behaviour === 'garbage') return '\0\u00ff— \n— x\n';
    if (this.behaviour === 'short') return `— ${this.name} ${this.id.toString('base64')}\n`;
    return this.behaviour === 'megabyte' ? `— ${this.name} ${'A'.repeat(1_048_576)}\n` : undefined;
  }

  private judge(response: ServerResponse, body: string): void {
    const [whole, old = '', lines = '', note = ''] = REQUEST.exec(body) ?? [];
    if (whole === undefined) return this.reply(response, 400, 'no request\n');
    const { origin, size, root } = checkpointIn(note);
    const key = this.keyOf(origin);
    if (key === undefined) return this.reply(response, 404, 'unknown\n');
    if (!hasSigned(key, note)) return this.reply(response, 403, 'not signed\n');
    if (Number(old) > size) return this.reply(response, 400, 'old is larger\n');
    const known = this.seen(origin) ?? { size: 0, root: '' };
    if (known.size !== Number(old))
      return this.reply(response, 409, `${known.size}\n`, { 'Content-Type': 'text/x.tlog.size' });
    const proof = lines.split('\n').slice(0, -1);
    if (!isConsistent(known, { size, root }, proof)) return this.reply(response, 422, 'inconsistent\n');
    this.remember(origin, { size, root });
    this.reply(response, 200, this.cosignature(note));
  }

  private cosignature(note: string): string {
    const seconds = this.behaviour === 'timeless' ? 0 : Math.floor(Date.now() / 1_000);
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(seconds));
    const text = note.slice(0, note.indexOf('\n\n') + 1);
    const signed = sign(null, Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`), this.key);
    if (this.behaviour === 'wrong') signed[0] = (signed[0] ?? 0) ^ 1;
    // Further lines: by another key of the witness, which clients need not know, and by a key whose id collides.
    const others = [Buffer.alloc(76, 7), this.id].map((bytes) => `— ${this.name} ${bytes.toString('base64')}\n`);
    return `${others.join('')}— ${this.name} ${Buffer.concat([this.id, time, signed]).toString('base64')}\n`;
  }

  private reply(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
    this.answers.push(status);
    response.writeHead(status, headers).end(body);
  }
}

/** Verifies a consistency proof: RFC 6962-bis, section 2.1.4.2, and the rules of tlog-witness for size zero and equal sizes. */
function isConsistent(old: Cosigned, grown: Cosigned, proof: readonly string[]): boolean {
  const hashes: Buffer[] = proof.map((line) => Buffer.from(line, 'base64'));
  const empty = sha256().toString('base64');
  if (grown.size === 0) return proof.length === 0 && grown.root === empty;
  if (old.size === 0) return proof.length === 0;
  if (old.size === grown.size) return proof.length === 0 && old.root === grown.root;
  if (Number.isInteger(Math.log2(old.size))) hashes.unshift(Buffer.from(old.root, 'base64'));
  let [fn, sn] = [old.size - 1, grown.size - 1];
  while (fn % 2 === 1) [fn, sn] = [fn >> 1, sn >> 1];
  let [fr, sr]: (Buffer | undefined)[] = [hashes[0], hashes[0]];
  for (const hashed of hashes.slice(1)) {
    if (sn === 0 || fr === undefined || sr === undefined) return false;
    if (fn % 2 === 1 || fn === sn) {
      [fr, sr] = [sha256(Buffer.of(1), hashed, fr), sha256(Buffer.of(1), hashed, sr)];
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1];
    } else sr = sha256(Buffer.of(1), sr, hashed);
    [fn, sn] = [fn >> 1, sn >> 1];
  }
  return sn === 0 && fr?.toString('base64') === old.root && sr?.toString('base64') === grown.root;
}
