import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Database } from './database.js';
import type { Connections, DurabilitySettings, FreeDisk, ServingSide } from './dialects/dialect.js';
import { pendingMigrations } from './schema.js';

/** What a database that answers says of itself. */
export interface DatabaseFindings {
  /** Names of migrations that the service needs and the schema lacks. */
  pendingMigrations: string[];
  durability: DurabilitySettings;
}

/** Looks at the database for operators; nothing here is needed to serve a request. */
@Injectable()
export class DatabaseInspector {
  private readonly sources: Record<ServingSide, DataSource>;

  constructor(
    private readonly database: Database,
    @InjectDataSource('writer') writer: DataSource,
    @InjectDataSource('reader') reader: DataSource,
  ) {
    this.sources = { writer, reader };
  }

  /** Asks the database as it is now. @throws ApiError 503 while it is away */
  inspect(): Promise<DatabaseFindings> {
    const { dialect } = this.database;
    return this.database.readWith(async (session) => {
      // What every request needs, and a node outside of its cluster refuses.
      await session.query('SELECT last_us FROM feed_clock WHERE id = 1');
      return {
        pendingMigrations: await pendingMigrations(session),
        durability: await dialect.readDurability(session),
      };
    });
  }

  /** How much of the disk under the database is free; undefined where it is another machine's. */
  freeDisk(): Promise<FreeDisk | undefined> {
    return this.database.dialect.freeDisk();
  }

  /** The pool of a side; undefined where there is none, or not yet. */
  connections(side: ServingSide): Connections | undefined {
    const source = this.sources[side];
    return source.isInitialized ? this.database.dialect.connections(source) : undefined;
  }
}
