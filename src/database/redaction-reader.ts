import { Injectable } from '@nestjs/common';
import { Database } from './database.js';
import type { Redaction } from './entities/redaction.entity.js';
import { REDACTIONS } from './redaction.js';
import type { RowOf } from './entity-table.js';

/** What was erased, and when. */
@Injectable()
export class RedactionReader {
  constructor(private readonly database: Database) {}

  /** The instant of the newest erasure, in microseconds; 0 where there was none. @throws ApiError 503 while the database is away */
  async newestUs(): Promise<number> {
    const [row] = await this.database.read<{ us: number | string }>('SELECT COALESCE(MAX(us), 0) AS us FROM redaction');
    return Number(row?.us);
  }

  /** All of them, the oldest first. @throws ApiError 503 while the database is away */
  async list(): Promise<Redaction[]> {
    const rows = await this.database.read<RowOf<Redaction>>(`SELECT ${REDACTIONS.select()} FROM redaction ORDER BY us`);
    return rows.map((row) => REDACTIONS.toEntity(row));
  }
}
