import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { DataLoader } from './data-loader.js';
import { padded, placeholdersFor } from '../connections/session.js';

interface NameRow {
  name: string;
  displayName: string;
}

const LIMITS = { keys: 64, concurrent: 1 };

/** Display names of accounts. */
@Injectable()
export class DisplayNames {
  private readonly names = new DataLoader((accounts: readonly string[]) => this.fetch(accounts), LIMITS);

  constructor(private readonly database: Database) {}

  /** @param account name of the account @returns undefined if it has no display name @throws ApiError 503 while the database is away */
  find(account: string): Promise<string | undefined> {
    return this.names.load(account);
  }

  private async fetch(accounts: readonly string[]): Promise<Map<string, string>> {
    const values = padded(accounts);
    const sql = `SELECT name, display_name AS displayName FROM account
      WHERE display_name IS NOT NULL AND name IN (${placeholdersFor(values)})`;
    const rows = await this.database.read<NameRow>(sql, values);
    return new Map(rows.map(({ name, displayName }) => [name, displayName]));
  }
}
