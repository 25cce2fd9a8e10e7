import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type DataSource, type EntityManager, IsNull } from 'typeorm';
import { Database } from './database.js';
import { Account, type Role } from './entities/account.entity.js';
import { ApiKey } from './entities/api-key.entity.js';
import { Asset } from './entities/asset.entity.js';
import { AuditEntry } from './entities/audit-entry.entity.js';
import { Loader } from './loader.js';
import { padded, placesFor } from './places.js';

/** An account as a request acts for it. */
export interface ActingAccount {
  name: string;
  role: Role;
}

interface KeyRow {
  id: string;
  name: string;
  role: Role;
  digest: string;
  expires_us: number | string | null;
  revoked_us: number | string | null;
  disabled_us: number | string | null;
  used_day: string | null;
}

/** A key that was found by its digest. Instants are microseconds since 1970 UTC. */
export interface FoundKey {
  id: string;
  account: ActingAccount;
  digest: string;
  expiresUs: number | null;
  revokedUs: number | null;
  /** Of its account. */
  disabledUs: number | null;
  /** The registry's day on which it was accepted last. */
  usedDay: string | null;
}

/** What the audit is told of a command; its instant is that of the change. */
export type Audited = Pick<AuditEntry, 'us' | 'subject' | 'actor' | 'action' | 'detail'>;

const KEYS_SQL = `SELECT api_key.id, account.name, account.role, api_key.digest, api_key.expires_us, api_key.revoked_us,
  account.disabled_us, api_key.used_day
  FROM api_key JOIN account ON account.id = api_key.account_id WHERE api_key.digest IN`;

/** One statement at a time: it is short, and most requests come with the same keys. */
const LIMITS = { keys: 64, underWay: 1 };

/** Accounts and their keys. Requests only read; changes are the command line's, and the demo's before the first request. */
@Injectable()
export class AccountsRepository {
  private readonly keys = new Loader((digests: readonly string[]) => this.fetchKeys(digests), LIMITS);

  constructor(
    private readonly database: Database,
    @InjectDataSource('writer') private readonly writer: DataSource,
  ) {}

  /** @param digest SHA-256 of the key in hex @throws ApiError 503 while the database is away */
  findKey(digest: string): Promise<FoundKey | undefined> {
    return this.keys.load(digest);
  }

  private async fetchKeys(digests: readonly string[]): Promise<Map<string, FoundKey>> {
    const values = padded(digests);
    const rows = await this.database.read<KeyRow>(`${KEYS_SQL} (${placesFor(values)})`, values);
    return new Map(rows.map((row) => [row.digest, toFoundKey(row)]));
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

  /** @param isNew whether its account is new as well */
  async insertKey(key: ApiKey, isNew: boolean, audited: Audited): Promise<void> {
    await this.change(audited, async (transaction) => {
      if (isNew) await transaction.getRepository(Account).insert(key.account);
      await transaction.getRepository(ApiKey).insert(key);
      return true;
    });
  }

  /** Installs accounts with their keys where there is no account yet, all of them or none. */
  async insertFirstKeys(keys: readonly ApiKey[], audited: Audited): Promise<void> {
    await this.change(audited, async (transaction) => {
      if ((await transaction.getRepository(Account).count()) > 0) return false;
      await transaction.getRepository(Account).insert(keys.map(({ account }) => account));
      await transaction.getRepository(ApiKey).insert([...keys]);
      return true;
    });
  }

  /** Every account, by its name. */
  async listAccounts(): Promise<Account[]> {
    return this.writer.getRepository(Account).find({ order: { name: 'ASC' } });
  }

  /** @param disabledUs null enables it again @returns false when there is no such account */
  setDisabled(name: string, disabledUs: number | null, audited: Audited): Promise<boolean> {
    return this.change(audited, async (transaction) => {
      if (!(await transaction.getRepository(Account).existsBy({ name }))) return false;
      await transaction.getRepository(Account).update({ name }, { disabledUs });
      return true;
    });
  }

  /** Every key with its account, oldest first. */
  async listKeys(): Promise<ApiKey[]> {
    return this.writer
      .getRepository(ApiKey)
      .find({ relations: { account: true }, order: { createdUs: 'ASC', id: 'ASC' } });
  }

  /** Adds a key and lets another one expire, both or neither. */
  async replaceKey(oldId: string, oldExpiresUs: number, key: ApiKey, audited: Audited): Promise<void> {
    await this.change(audited, async (transaction) => {
      await transaction.getRepository(ApiKey).insert(key);
      await transaction.getRepository(ApiKey).update({ id: oldId }, { expiresUs: oldExpiresUs });
      return true;
    });
  }

  /**
   * Changes nothing but the token of an asset, so it is no change of the feed's.
   * @returns false when there is no asset with this id
   */
  replaceTokenDigest(id: string, tokenDigest: string, audited: Audited): Promise<boolean> {
    return this.change(audited, async (transaction) => {
      const result = await transaction.getRepository(Asset).update({ id }, { tokenDigest });
      return (result.affected ?? 0) > 0;
    });
  }

  /** @returns false when there is no such key, or it was revoked before */
  revokeKey(id: string, revokedUs: number, audited: Audited): Promise<boolean> {
    return this.change(audited, async (transaction) => {
      const result = await transaction.getRepository(ApiKey).update({ id, revokedUs: IsNull() }, { revokedUs });
      return (result.affected ?? 0) > 0;
    });
  }

  /** One transaction: the work, and where it has changed something, what the audit is told of it. @returns whether it has */
  private change(audited: Audited, work: (transaction: EntityManager) => Promise<boolean>): Promise<boolean> {
    return this.writer.transaction(async (transaction) => {
      const isChanged = await work(transaction);
      if (isChanged) await transaction.getRepository(AuditEntry).insert({ ...audited, requestId: null });
      return isChanged;
    });
  }
}

function toFoundKey({
  id,
  name,
  role,
  digest,
  used_day: usedDay,
  expires_us: expires,
  revoked_us: revoked,
  disabled_us: disabled,
}: KeyRow): FoundKey {
  return {
    id,
    account: { name, role },
    digest,
    expiresUs: expires === null ? null : Number(expires),
    revokedUs: revoked === null ? null : Number(revoked),
    disabledUs: disabled === null ? null : Number(disabled),
    usedDay,
  };
}
