import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Database } from './database.js';
import { Account, type Role } from './entities/account.entity.js';
import { ApiKey } from './entities/api-key.entity.js';
import { Asset } from './entities/asset.entity.js';

/** An account as a request acts for it. */
export interface ActingAccount {
  name: string;
  role: Role;
}

interface KeyRow {
  name: string;
  role: Role;
  digest: string;
  expires_us: number | string | null;
  revoked_us: number | string | null;
  disabled_us: number | string | null;
}

/** A key that was found by its digest. Instants are microseconds since 1970 UTC. */
export interface FoundKey {
  account: ActingAccount;
  digest: string;
  expiresUs: number | null;
  revokedUs: number | null;
  /** Of its account. */
  disabledUs: number | null;
}

const KEY_SQL = `SELECT account.name, account.role, api_key.digest, api_key.expires_us, api_key.revoked_us, account.disabled_us
  FROM api_key JOIN account ON account.id = api_key.account_id WHERE api_key.digest = ?`;

/** Accounts and their keys. Requests only read; changes are the command line's, and the demo's before the first request. */
@Injectable()
export class AccountsRepository {
  constructor(
    private readonly database: Database,
    @InjectDataSource('writer') private readonly writer: DataSource,
  ) {}

  /** @param digest SHA-256 of the key in hex @throws ApiError 503 while the database is away */
  async findKey(digest: string): Promise<FoundKey | undefined> {
    const [row] = await this.database.read<KeyRow>(KEY_SQL, [digest]);
    if (row === undefined) return undefined;
    const { name, role, expires_us: expires, revoked_us: revoked, disabled_us: disabled } = row;
    return {
      account: { name, role },
      digest: row.digest,
      expiresUs: expires === null ? null : Number(expires),
      revokedUs: revoked === null ? null : Number(revoked),
      disabledUs: disabled === null ? null : Number(disabled),
    };
  }

  async anyAccountExists(): Promise<boolean> {
    return (await this.writer.getRepository(Account).count()) > 0;
  }

  /** @param digest SHA-256 of the key in hex */
  async keyExists(digest: string): Promise<boolean> {
    return this.writer.getRepository(ApiKey).existsBy({ digest });
  }

  async findAccount(name: string): Promise<Account | undefined> {
    return (await this.writer.getRepository(Account).findOneBy({ name })) ?? undefined;
  }

  async insertAccount(account: Account): Promise<void> {
    await this.writer.getRepository(Account).insert(account);
  }

  async insertKey(key: ApiKey): Promise<void> {
    await this.writer.getRepository(ApiKey).insert(key);
  }

  /** Installs accounts with their keys where there is no account yet, all of them or none. */
  async insertFirstKeys(keys: readonly ApiKey[]): Promise<void> {
    await this.writer.transaction(async (transaction) => {
      if ((await transaction.getRepository(Account).count()) > 0) return;
      await transaction.getRepository(Account).insert(keys.map(({ account }) => account));
      await transaction.getRepository(ApiKey).insert([...keys]);
    });
  }

  /** Every account, by its name. */
  async listAccounts(): Promise<Account[]> {
    return this.writer.getRepository(Account).find({ order: { name: 'ASC' } });
  }

  /** @param disabledUs null enables it again @returns false when there is no such account */
  async setDisabled(name: string, disabledUs: number | null): Promise<boolean> {
    if ((await this.findAccount(name)) === undefined) return false;
    await this.writer.getRepository(Account).update({ name }, { disabledUs });
    return true;
  }

  /** Every key with its account, oldest first. */
  async listKeys(): Promise<ApiKey[]> {
    return this.writer
      .getRepository(ApiKey)
      .find({ relations: { account: true }, order: { createdUs: 'ASC', id: 'ASC' } });
  }

  /** Adds a key and lets another one expire, both or neither. */
  async replaceKey(oldId: string, oldExpiresUs: number, key: ApiKey): Promise<void> {
    await this.writer.transaction(async (transaction) => {
      await transaction.getRepository(ApiKey).insert(key);
      await transaction.getRepository(ApiKey).update({ id: oldId }, { expiresUs: oldExpiresUs });
    });
  }

  /**
   * Changes nothing but the token of an asset, so it is no change of the feed's.
   * @param asset its id or assetID @returns false when there is none
   */
  async replaceTokenDigest(asset: string, tokenDigest: string): Promise<boolean> {
    const result = await this.writer
      .createQueryBuilder()
      .update(Asset)
      .set({ tokenDigest })
      .where('id = :asset OR asset_id = :asset', { asset })
      .execute();
    return (result.affected ?? 0) > 0;
  }

  /** @returns false when there is no such key, or it was revoked before */
  async revokeKey(id: string, revokedUs: number): Promise<boolean> {
    const result = await this.writer
      .createQueryBuilder()
      .update(ApiKey)
      .set({ revokedUs })
      .where('id = :id AND revoked_us IS NULL', { id })
      .execute();
    return (result.affected ?? 0) > 0;
  }
}
