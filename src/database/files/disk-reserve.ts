import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/config/config.module.js';
import { Database } from '../database.js';
import { DatabaseInspector } from '../database-inspector.js';

const LOOK_MS = 500;
const MB = 1024 * 1024;

/**
 * Keeps a part of the disk under an SQLite file free: while less is free, the service writes nothing, so that the commands by which an
 * operator stops what fills the disk still work.
 */
@Injectable()
export class DiskReserve implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly bytes: number;
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;

  constructor(
    private readonly database: Database,
    private readonly inspector: DatabaseInspector,
    @Inject(CONFIG) { diskReserve }: Pick<Config, 'diskReserve'>,
  ) {
    this.bytes = diskReserve;
  }

  /** Looks before the first request, and twice a second from then on. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.bytes === 0) return;
    await this.look();
    this.timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** One look at a time: a disk that hangs answers none. */
  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const isShort = await this.isShort();
      const why = `less than ${Math.ceil(this.bytes / MB)} MiB of its disk are free`;
      this.database.writes.noteShortage(isShort ? why : undefined);
    } catch {
      // Health tells of a disk that cannot be read; the writes themselves show whether it takes them.
    } finally {
      this.isLooking = false;
    }
  }

  /** Free pages inside the file count as free: what is written next goes there. */
  private async isShort(): Promise<boolean> {
    const { bytes = Infinity } = (await this.inspector.freeDisk()) ?? {};
    return bytes < this.bytes && bytes + (await this.freePages()) < this.bytes;
  }

  /** @returns bytes; 0 while the file cannot be read */
  private async freePages(): Promise<number> {
    const sql = 'SELECT freelist_count * page_size AS bytes FROM pragma_freelist_count, pragma_page_size';
    const rows = await this.database.read<{ bytes: number }>(sql).catch(() => []);
    return rows[0]?.bytes ?? 0;
  }
}
