import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import type { CommandAudit } from './accounts-repository.js';
import { Database } from '../database.js';
import { AuditEntry } from '../entities/audit-entry.entity.js';
import { ClockWitness } from '../entities/clock-witness.entity.js';

/** Times in the database, in microseconds; the first three since 1970 UTC. */
export interface KnownTime {
  /** The server's clock; undefined for SQLite. */
  databaseUs: number | undefined;
  /** The last instant of the feed; 0 before the first. */
  lastUs: number;
  /** When a service last worked with a trusted clock; 0 if none has. */
  seenUs: number;
  /** How far ahead of the clock an operator allows the last instant to be. */
  leadUs: number;
}

export type ClockDecision = Pick<KnownTime, 'seenUs' | 'leadUs'>;

type KnownTimeRow = Record<'database_us' | 'last_us' | 'seen_us' | 'lead_us', unknown>;

/** Reads the times that clocks are compared with, and stores the operator's decision. */
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

  /** Stores the decision and its audit row in one transaction. */
  async decide({ seenUs, leadUs }: ClockDecision, audited: CommandAudit): Promise<void> {
    await this.writer.transaction(async (transaction) => {
      // Write first: on SQLite a transaction that began with a read fails to write if another connection has written since.
      await transaction.getRepository(AuditEntry).insert({ ...audited, requestId: null });
      await transaction.getRepository(ClockWitness).upsert({ id: 1, seenUs, leadUs }, ['id']);
    });
  }
}
