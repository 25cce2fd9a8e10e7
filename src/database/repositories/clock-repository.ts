import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import type { Audited } from './accounts-repository.js';
import { Database } from '../database.js';
import { AuditEntry } from '../entities/audit-entry.entity.js';
import { ClockWitness } from '../entities/clock-witness.entity.js';

/** What the database knows of the time. All in microseconds, the first three since 1970 UTC. */
export interface KnownTime {
  /** What the server's clock says; undefined of a file, which has none. */
  databaseUs: number | undefined;
  /** The last instant that was given out; 0 before the first. */
  lastUs: number;
  /** When the registry was last seen at work with a clock that was believed; 0 where nobody has. */
  seenUs: number;
  /** By how many microseconds an operator lets the last instant be ahead of the clock. */
  leadUs: number;
}

/** What an operator believes of the time. */
export type ClockDecision = Pick<KnownTime, 'seenUs' | 'leadUs'>;

type KnownTimeRow = Record<'database_us' | 'last_us' | 'seen_us' | 'lead_us', unknown>;

/** Reads what a clock is compared with, and keeps what an operator decides of it. */
@Injectable()
export class ClockRepository {
  constructor(
    private readonly database: Database,
    @InjectDataSource('writer') private readonly writer: DataSource,
  ) {}

  /** @throws ApiError 503 while the database is away */
  async read(): Promise<KnownTime> {
    const [row] = await this.database.read<KnownTimeRow>(
      `SELECT ${this.database.dialect.sql.clock} AS database_us, last_us, seen_us, lead_us
       FROM feed_clock LEFT JOIN clock_witness ON clock_witness.id = feed_clock.id WHERE feed_clock.id = 1`,
    );
    const { database_us: databaseUs, last_us: lastUs, seen_us: seenUs, lead_us: leadUs } = row as KnownTimeRow;
    return {
      databaseUs: databaseUs === null ? undefined : Number(databaseUs),
      lastUs: Number(lastUs),
      seenUs: Number(seenUs ?? 0),
      leadUs: Number(leadUs ?? 0),
    };
  }

  /** In one transaction with what the audit is told of it. */
  async decide({ seenUs, leadUs }: ClockDecision, audited: Audited): Promise<void> {
    await this.writer.transaction(async (transaction) => {
      // First: a transaction of SQLite that began with a read may not write once another has written.
      await transaction.getRepository(AuditEntry).insert({ ...audited, requestId: null });
      await transaction.getRepository(ClockWitness).upsert({ id: 1, seenUs, leadUs }, ['id']);
    });
  }
}
