import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type DataSource, type EntityManager, IsNull } from 'typeorm';
import { Account } from '../entities/account.entity.js';
import { ApiKey } from '../entities/api-key.entity.js';
import { Asset } from '../entities/asset.entity.js';
import { AuditEntry } from '../entities/audit-entry.entity.js';
import { StoredBytes } from '../entities/stored-bytes.entity.js';
import { TransferCode } from '../entities/transfer-code.entity.js';

/** What the audit is told of a command; its instant is that of the change. */
export type Audited = Pick<AuditEntry, 'us' | 'subject' | 'actor' | 'action' | 'detail'>;

/** What operators change of an account: null enables it again, or takes its display name away. */
export type AccountChange = Partial<Pick<Account, 'disabledUs' | 'displayName'>>;

/** The issuer of an asset's transfer code is the actor of the latest `transfer.code` in the audit of the asset. */
const DELETE_CODES_OF_ISSUER = `DELETE FROM transfer_code WHERE ? = (SELECT actor FROM audit
  WHERE subject = transfer_code.id AND action = 'transfer.code' ORDER BY us DESC LIMIT 1)`;

/** Accounts and their keys, for the command line, and for the demo before the first request. */
@Injectable()
export class AccountsRepository {
  constructor(@InjectDataSource('writer') private readonly writer: DataSource) {}

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

  async listAccounts(): Promise<Account[]> {
    return this.writer.getRepository(Account).find({ order: { name: 'ASC' } });
  }

  /** What each account has had stored on a local day, in bytes, by its name. */
  async storedOn(day: string): Promise<Map<string, number>> {
    const stored = await this.writer.getRepository(StoredBytes).findBy({ day });
    return new Map(stored.map(({ account, bytes }) => [account, bytes]));
  }

  /** Where it disables the account, the transfer codes that the account has issued end. @returns false when there is no such account */
  changeAccount(name: string, to: AccountChange, audited: Audited): Promise<boolean> {
    return this.change(audited, async (transaction) => {
      if (!(await transaction.getRepository(Account).existsBy({ name }))) return false;
      await transaction.getRepository(Account).update({ name }, to);
      if (typeof to.disabledUs === 'number') await transaction.query(DELETE_CODES_OF_ISSUER, [name]);
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
   * Changes nothing but the token of an asset, so it is no change of the feed's. The asset's transfer code ends.
   * @returns false when there is no asset with this id
   */
  replaceTokenDigest(id: string, tokenDigest: string, audited: Audited): Promise<boolean> {
    return this.change(audited, async (transaction) => {
      const result = await transaction.getRepository(Asset).update({ id }, { tokenDigest });
      await transaction.getRepository(TransferCode).delete({ id });
      return (result.affected ?? 0) > 0;
    });
  }

  /** In the place of an earlier one of the same asset. @returns false when there is no such asset */
  keepTransferCode(code: TransferCode, audited: Audited): Promise<boolean> {
    return this.change(audited, async (transaction) => {
      if (!(await transaction.getRepository(Asset).existsBy({ id: code.id }))) return false;
      await transaction.getRepository(TransferCode).upsert(code, ['id']);
      return true;
    });
  }

  /** The transfer codes that the key's account has issued end. @returns false when there is no such key, or it was revoked before */
  revokeKey(id: string, revokedUs: number, audited: Audited): Promise<boolean> {
    return this.change(audited, async (transaction) => {
      const keys = transaction.getRepository(ApiKey);
      const { affected = 0 } = await keys.update({ id, revokedUs: IsNull() }, { revokedUs });
      if (affected === 0) return false;
      const { account } = await keys.findOneOrFail({ where: { id }, relations: { account: true } });
      await transaction.query(DELETE_CODES_OF_ISSUER, [account.name]);
      return true;
    });
  }

  /** One transaction: the work, and where it has changed something, what the audit is told of it. @returns whether it has */
  private async change(audited: Audited, work: (transaction: EntityManager) => Promise<boolean>): Promise<boolean> {
    try {
      await this.writer.transaction(async (transaction) => {
        // First: a transaction of SQLite that began with a read may not write once another has written.
        await transaction.getRepository(AuditEntry).insert({ ...audited, requestId: null });
        if (!(await work(transaction))) throw new NothingChanged();
      });
      return true;
    } catch (error) {
      if (error instanceof NothingChanged) return false;
      throw error;
    }
  }
}

/** Takes a transaction back in which there was nothing to do. */
class NothingChanged extends Error {}
