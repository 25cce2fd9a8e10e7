import { access, constants, type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../database/dialects/error-code.js';
import { WRITTEN_BY_ITS_OWNER_ALONE } from '../database/folders.js';
import { SnapshotFile } from './snapshot-file.js';
import { type SnapshotFormat, SnapshotName } from './snapshot-name.js';

const FOR_THE_OWNER_ALONE = 0o600;
/** An incomplete file that has not grown for this long belongs to a process that is gone, or hangs. */
const SILENT_MS = 60_000;
/** Snapshots of other histories and formats are kept this long: another registry may share the folder. */
const FORGOTTEN_MS = 24 * 60 * 60_000;

/** The folder of the snapshots, which several processes may share. Files with other names are left alone. */
export class SnapshotFolder {
  constructor(private readonly path: string) {}

  /** Makes it. @throws Error of the file system, where nothing can be written to it */
  async make(): Promise<void> {
    // Not `recursive`: Node would never return from that below /proc.
    for (const folder of [dirname(this.path), this.path])
      await mkdir(folder, WRITTEN_BY_ITS_OWNER_ALONE).catch(unlessThere);
    // What is no folder has no place in it.
    await access(`${this.path}/.`, constants.W_OK);
  }

  /** All snapshots, incomplete ones too. Errors of the folder count as an empty one: whoever writes to it reports them. */
  async list(): Promise<SnapshotName[]> {
    const files = await readdir(this.path).catch(() => []);
    return files.map((file) => SnapshotName.parse(file)).filter((name) => name !== undefined);
  }

  /** @returns undefined when it was replaced meanwhile, or cannot be read */
  async open(name: SnapshotName): Promise<SnapshotFile | undefined> {
    const handle = await open(join(this.path, name.whole)).catch(() => undefined);
    return handle && SnapshotFile.whole(name, handle);
  }

  /** @throws Error of the file system */
  async create(name: SnapshotName): Promise<SnapshotFile> {
    await this.make();
    const handle: FileHandle = await open(join(this.path, name.part), 'ax+', FOR_THE_OWNER_ALONE);
    return SnapshotFile.growing(name, handle);
  }

  /** Gives a complete snapshot its final name and removes older ones. Their readers can go on. */
  async publish(file: SnapshotFile): Promise<void> {
    const { name } = file;
    await file.sync();
    await rename(join(this.path, name.part), join(this.path, name.whole));
    for (const other of await this.list()) {
      const isOfSame = other.history === name.history && other.format === name.format;
      const isOver = isOfSame ? other.isBefore(name) : other.ageMs > FORGOTTEN_MS;
      if (isOver && !other.isPart) await this.remove(other.whole);
    }
  }

  /** Removes the snapshots of a history, whatever their format, that are older than an instant in microseconds, and what killed processes left. */
  async forget(history: string, beforeUs: number): Promise<void> {
    if (beforeUs === 0) return;
    for (const name of await this.list()) {
      if (name.history !== history || name.clockUs >= beforeUs) continue;
      // Whoever is still making one looks again afterwards.
      if (!name.isPart) await this.remove(name.whole);
      else if (!isAlive(name.pid)) await this.remove(name.part);
    }
  }

  async discard({ name }: SnapshotFile): Promise<void> {
    await this.remove(name.part);
  }

  /** Removes the incomplete files of processes that were killed. */
  async clear(): Promise<void> {
    for (const { isPart, part } of await this.list()) {
      if (isPart && (await this.silentMs(part)) > SILENT_MS) await this.remove(part);
    }
  }

  /** Whether another process is making one. A wrong answer only means that two processes make one. */
  async isMadeElsewhere(history: string, format: SnapshotFormat): Promise<boolean> {
    for (const name of await this.list()) {
      const isOfSame = name.history === history && name.format === format;
      const isElsewhere = name.isPart && isOfSame && name.pid !== process.pid && isAlive(name.pid);
      if (isElsewhere && (await this.silentMs(name.part)) < SILENT_MS) return true;
    }
    return false;
  }

  private async silentMs(file: string): Promise<number> {
    const found = await stat(join(this.path, file)).catch(() => undefined);
    return found === undefined ? Infinity : Date.now() - found.mtimeMs;
  }

  /** A file that cannot be removed does no harm but takes room. */
  private async remove(file: string): Promise<void> {
    await rm(join(this.path, file)).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return codeOf(error) === 'EPERM';
  }
}

function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}
