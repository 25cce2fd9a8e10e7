import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AssetWriter } from '../assets/asset-writer.js';
import { logger } from '../logging/logger.js';
import { hostMs, toOutcome, type WriterReply, type WriterRequest } from './messages.js';
import { JsonLines } from './json-lines.js';

const END_LIMIT_MS = 1_000;

/** Where a process takes the writes of the other processes of its host: a socket in a folder that its own user alone may enter. */
export class WriterServer {
  private readonly links = new Set<JsonLines>();
  private ending = false;

  private constructor(
    private readonly server: Server,
    /** Path of the socket. */
    readonly path: string,
    private readonly writer: Pick<AssetWriter, 'writeHere'>,
  ) {
    server.on('connection', (socket) => this.accept(socket));
    // Who cannot be let in, as descriptors are short, writes by itself and comes again.
    server.on('error', ({ message }) => logger.warn({ reason: message }, 'another worker could not be let in'));
    process.once('exit', this.remove);
  }

  /** @returns undefined where there can be no such socket: then each process writes by itself */
  static async listen(writer: Pick<AssetWriter, 'writeHere'>, parent = tmpdir()): Promise<WriterServer | undefined> {
    let folder: string | undefined;
    try {
      folder = await mkdtemp(join(parent, 'asset-registry-'));
      const path = join(folder, 'writer.sock');
      const server = createServer();
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
      return new WriterServer(server, path, writer);
    } catch (error) {
      if (folder !== undefined) rmSync(folder, { recursive: true });
      logger.warn({ reason: (error as Error).message }, 'no socket for the other workers: each writes by itself');
      return undefined;
    }
  }

  /** From now on the others write by themselves; what was begun is answered. */
  beginEnd(): void {
    this.ending = true;
    for (const link of this.links) link.send({ ends: true } satisfies WriterReply);
  }

  /** Ends the connections once everything was told, and removes the socket. */
  async close(): Promise<void> {
    this.server.close();
    const limit = setTimeout(() => this.links.forEach((link) => link.cut()), END_LIMIT_MS);
    await Promise.all([...this.links].map((link) => link.end()));
    clearTimeout(limit);
    process.off('exit', this.remove);
    this.remove();
  }

  private readonly remove = (): void => rmSync(dirname(this.path), { recursive: true, force: true });

  private accept(socket: Socket): void {
    const leavers = new Map<number, () => void>();
    const link = new JsonLines(
      socket,
      (request: WriterRequest) =>
        'gone' in request ? leavers.get(request.n)?.() : void this.answer(request, link, leavers),
      () => {
        this.links.delete(link);
        for (const leave of leavers.values()) leave();
      },
    );
    this.links.add(link);
    if (this.ending) link.send({ ends: true } satisfies WriterReply);
  }

  private async answer(
    { n, wanted, askedMs }: Exclude<WriterRequest, { gone: true }>,
    link: JsonLines,
    leavers: Map<number, () => void>,
  ): Promise<void> {
    const tell = (reply: WriterReply): void => link.send(reply);
    if (this.ending) return tell({ n, untouched: true });
    let gone = false;
    const acts: (() => void)[] = [];
    leavers.set(n, () => {
      gone = true;
      for (const act of acts) act();
    });
    const waiter = { isGone: () => gone, whenGone: (act: () => void) => void acts.push(act) };
    try {
      const assets = await this.writer.writeHere({ ...wanted, waitedMs: hostMs() - askedMs }, waiter);
      tell({ n, assets });
    } catch (error) {
      tell({ n, ...toOutcome(error) });
    } finally {
      leavers.delete(n);
    }
  }
}
