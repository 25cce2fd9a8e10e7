import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import type { Redaction } from '../entities/redaction.entity.js';
import { readRedactions } from '../repositories/redactions.js';

/** Reads erasures. */
@Injectable()
export class RedactionReader {
  constructor(private readonly database: Database) {}

  /** The instant of the newest erasure, in microseconds; 0 if there was none. @throws ApiError 503 while the database is away */
  async newestUs(): Promise<number> {
    const [row] = await this.database.read<{ us: number | string }>('SELECT COALESCE(MAX(us), 0) AS us FROM redaction');
    return Number(row?.us);
  }

  /** All erasures, the oldest first. @throws ApiError 503 while the database is away */
  list(): Promise<Redaction[]> {
    return this.database.readWith(readRedactions);
  }
}
