import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { DatabaseParts } from './connections/data-sources.js';
import { Database, PARTS } from './database.js';
import type { DurabilitySettings } from './dialects/dialect.js';
import { pendingMigrations } from './migrations/schema.js';

export interface DatabaseFindings {
  /** Names of migrations that the service needs and the schema lacks. */
  pendingMigrations: string[];
  durability: DurabilitySettings;
}

/** Reads the database's state for operators; serving a request needs nothing of it. */
@Injectable()
export class DatabaseInspector {
  constructor(
    private readonly database: Database,
    @Inject(PARTS) private readonly parts: Pick<DatabaseParts, 'lock'>,
  ) {}

  /** @throws ApiError 503 while the database is away */
  inspect(): Promise<DatabaseFindings> {
    return this.database.readWith(async (session) => {
      // A cluster node without quorum refuses to read a table.
      await session.query('SELECT last_us FROM feed_clock WHERE id = 1');
      return {
        pendingMigrations: await pendingMigrations(session),
        durability: await this.database.dialect.readDurability(session),
      };
    });
  }

  /** Free space for the service on the SQLite file's disk; `share` is from 0 to 1. @returns undefined for a server @throws the system's error */
  async freeDisk(): Promise<{ bytes: number; share: number } | undefined> {
    if (this.parts.lock === undefined) return undefined;
    const { bavail, blocks, bsize } = await statfs(dirname(this.parts.lock.path));
    return { bytes: bavail * bsize, share: bavail / blocks };
  }
}
