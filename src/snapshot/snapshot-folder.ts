import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../database/dialects/error-code.js';
import { SnapshotFile } from './snapshot-file.js';
import { SnapshotName } from './snapshot-name.js';

const FOR_THE_OWNER_ALONE = 0o600;
/** A part that has not grown for as long belongs to a process that is gone, or as good as that. */
const SILENT_MS = 60_000;
/** Of other histories, which may be those of a registry that has the same folder. */
const FORGOTTEN_MS = 24 * 60 * 60_000;

/** Where the snapshots are; processes may share it. Files with other names than ours are left alone. */
export class SnapshotFolder {
  constructor(private readonly path: string) {}

  /** Parts among them. What is wrong with the folder is told by who writes to it. */
  async list(): Promise<SnapshotName[]> {
    const files = await readdir(this.path).catch(() => []);
    return files.map((file) => SnapshotName.parse(file)).filter((name) => name !== undefined);
  }

  /** @returns undefined where it was replaced meanwhile, or cannot be read */
  async open(name: SnapshotName): Promise<SnapshotFile | undefined> {
    const handle = await open(join(this.path, name.whole)).catch(() => undefined);
    return handle && SnapshotFile.whole(name, handle);
  }

  /** @throws Error of the file system */
  async create(name: SnapshotName): Promise<SnapshotFile> {
    // One after the other: Node 20 tries for ever to make several at once below /proc.
    for (const folder of [dirname(this.path), this.path]) await mkdir(folder).catch(unlessThere);
    const handle: FileHandle = await open(join(this.path, name.part), 'ax+', FOR_THE_OWNER_ALONE);
    return SnapshotFile.growing(name, handle);
  }

  /** Puts one that is whole in the place of those before it; who reads those goes on. */
  async publish(file: SnapshotFile): Promise<void> {
    const { name } = file;
    await file.sync();
    await rename(join(this.path, name.part), join(this.path, name.whole));
    for (const other of await this.list()) {
      const isOver = other.history === name.history ? other.isBefore(name) : other.ageMs > FORGOTTEN_MS;
      if (isOver && !other.isPart) await this.remove(other.whole);
    }
  }

  async discard({ name }: SnapshotFile): Promise<void> {
    await this.remove(name.part);
  }

  /** Removes what processes have left that were killed while they made one. */
  async clear(): Promise<void> {
    for (const { isPart, part } of await this.list()) {
      if (isPart && (await this.silentMs(part)) > SILENT_MS) await this.remove(part);
    }
  }

  /** Whether another process makes one. It may be wrong, and then two make one: nobody gets half of a snapshot for that. */
  async isMadeElsewhere(history: string): Promise<boolean> {
    for (const name of await this.list()) {
      const isElsewhere = name.isPart && name.history === history && name.pid !== process.pid && isAlive(name.pid);
      if (isElsewhere && (await this.silentMs(name.part)) < SILENT_MS) return true;
    }
    return false;
  }

  private async silentMs(file: string): Promise<number> {
    const found = await stat(join(this.path, file)).catch(() => undefined);
    return found === undefined ? Infinity : Date.now() - found.mtimeMs;
  }

  /** What cannot be removed is nobody's harm, but takes room. */
  private async remove(file: string): Promise<void> {
    await rm(join(this.path, file)).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It is somebody else's.
    return codeOf(error) === 'EPERM';
  }
}

function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}
