import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { DatabaseParts } from './connections/data-sources.js';
import { Database, PARTS } from './database.js';
import type { DurabilitySettings } from './dialects/dialect.js';
import { pendingMigrations } from './migrations/schema.js';

/** What a database that answers says of itself. */
export interface DatabaseFindings {
  /** Names of migrations that the service needs and the schema lacks. */
  pendingMigrations: string[];
  durability: DurabilitySettings;
}

/** Looks at the database for operators; nothing here is needed to serve a request. */
@Injectable()
export class DatabaseInspector {
  constructor(
    private readonly database: Database,
    @Inject(PARTS) private readonly parts: Pick<DatabaseParts, 'lock'>,
  ) {}

  /** Asks the database as it is now. @throws ApiError 503 while it is away */
  inspect(): Promise<DatabaseFindings> {
    return this.database.readWith(async (session) => {
      // What every request needs, and a node outside of its cluster refuses.
      await session.query('SELECT last_us FROM feed_clock WHERE id = 1');
      return {
        pendingMigrations: await pendingMigrations(session),
        durability: await this.database.dialect.readDurability(session),
      };
    });
  }

  /** What is free for the service on the disk under the file, its share from 0 to 1; undefined for a server. @throws the system's error */
  async freeDisk(): Promise<{ bytes: number; share: number } | undefined> {
    if (this.parts.lock === undefined) return undefined;
    const { bavail, blocks, bsize } = await statfs(dirname(this.parts.lock.path));
    return { bytes: bavail * bsize, share: bavail / blocks };
  }
}
