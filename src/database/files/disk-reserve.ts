import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/config/config.module.js';
import { Database } from '../database.js';
import { DatabaseInspector } from '../database-inspector.js';

const CHECK_MS = 500;
const MB = 1024 * 1024;

/**
 * Reserves disk space for operators: while less is free on an SQLite file's disk, the service refuses writes, so that commands which free
 * space still work.
 */
@Injectable()
export class DiskReserve implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly bytes: number;
  private timer: NodeJS.Timeout | undefined;
  private isChecking = false;

  constructor(
    private readonly database: Database,
    private readonly inspector: DatabaseInspector,
    @Inject(CONFIG) { diskReserve }: Pick<Config, 'diskReserve'>,
  ) {
    this.bytes = diskReserve;
  }

  /** Checks before the first request, then twice a second. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.bytes === 0) return;
    await this.check();
    this.timer = setInterval(() => void this.check(), CHECK_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** One check at a time, because a hanging disk does not answer. */
  private async check(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    try {
      const isShort = await this.isShort();
      const why = `less than ${Math.ceil(this.bytes / MB)} MiB of its disk are free`;
      this.database.writes.noteShortage(isShort ? why : undefined);
    } catch {
      // The health check reports an unreadable disk; writes fail by themselves if it refuses them.
    } finally {
      this.isChecking = false;
    }
  }

  /** Free pages inside the file count as free, because SQLite fills them first. */
  private async isShort(): Promise<boolean> {
    const { bytes = Infinity } = (await this.inspector.freeDisk()) ?? {};
    return bytes < this.bytes && bytes + (await this.freePages()) < this.bytes;
  }

  /** @returns bytes; 0 if the file cannot be read */
  private async freePages(): Promise<number> {
    const sql = 'SELECT freelist_count * page_size AS bytes FROM pragma_freelist_count, pragma_page_size';
    const rows = await this.database.read<{ bytes: number }>(sql).catch(() => []);
    return rows[0]?.bytes ?? 0;
  }
}
