import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type DataSource, type EntityManager, IsNull } from 'typeorm';
import { Account } from '../entities/account.entity.js';
import { ApiKey } from '../entities/api-key.entity.js';
import { Asset } from '../entities/asset.entity.js';
import { AuditEntry } from '../entities/audit-entry.entity.js';
import { StoredBytes } from '../entities/stored-bytes.entity.js';
import { TransferCode } from '../entities/transfer-code.entity.js';

/** The audit row of a command, with the instant of the change. */
export type CommandAudit = Pick<AuditEntry, 'us' | 'subject' | 'actor' | 'action' | 'detail'>;

/** A null enables the account again, or removes its display name. */
export type AccountChange = Partial<Pick<Account, 'disabledUs' | 'displayName'>>;

/** The issuer of a transfer code is the actor of the latest `transfer.code` in the asset's audit. */
const DELETE_CODES_OF_ISSUER = `DELETE FROM transfer_code WHERE ? = (SELECT actor FROM audit
  WHERE subject = transfer_code.id AND action = 'transfer.code' ORDER BY us DESC LIMIT 1)`;

/** Accounts and keys, for the command line, and for the demo before the first request. */
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

  /** @param isNew whether to insert the account as well */
  async insertKey(key: ApiKey, isNew: boolean, audit: CommandAudit): Promise<void> {
    await this.runAudited(audit, async (transaction) => {
      if (isNew) await transaction.getRepository(Account).insert(key.account);
      await transaction.getRepository(ApiKey).insert(key);
      return true;
    });
  }

  /** Inserts accounts with their keys, all or none, unless there is an account already. */
  async insertFirstKeys(keys: readonly ApiKey[], audit: CommandAudit): Promise<void> {
    await this.runAudited(audit, async (transaction) => {
      if ((await transaction.getRepository(Account).count()) > 0) return false;
      await transaction.getRepository(Account).insert(keys.map(({ account }) => account));
      await transaction.getRepository(ApiKey).insert([...keys]);
      return true;
    });
  }

  async listAccounts(): Promise<Account[]> {
    return this.writer.getRepository(Account).find({ order: { name: 'ASC' } });
  }

  /** Bytes that each account stored on a local day, by account name. */
  async storedBytesOn(day: string): Promise<Map<string, number>> {
    const stored = await this.writer.getRepository(StoredBytes).findBy({ day });
    return new Map(stored.map(({ account, bytes }) => [account, bytes]));
  }

  /** Disabling an account deletes the transfer codes that it has issued. @returns false if there is no such account */
  changeAccount(name: string, to: AccountChange, audit: CommandAudit): Promise<boolean> {
    return this.runAudited(audit, async (transaction) => {
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

  /** Adds a key and sets another one's expiry, both or neither. */
  async replaceKey(oldId: string, oldExpiresUs: number, key: ApiKey, audit: CommandAudit): Promise<void> {
    await this.runAudited(audit, async (transaction) => {
      await transaction.getRepository(ApiKey).insert(key);
      await transaction.getRepository(ApiKey).update({ id: oldId }, { expiresUs: oldExpiresUs });
      return true;
    });
  }

  /**
   * Changes only the asset's owner token, which the feed does not show, and deletes its transfer code.
   * @returns false if there is no asset with this id
   */
  replaceTokenDigest(id: string, tokenDigest: string, audit: CommandAudit): Promise<boolean> {
    return this.runAudited(audit, async (transaction) => {
      const result = await transaction.getRepository(Asset).update({ id }, { tokenDigest });
      await transaction.getRepository(TransferCode).delete({ id });
      return (result.affected ?? 0) > 0;
    });
  }

  /** Replaces an earlier code of the asset. @returns false if there is no such asset */
  saveTransferCode(code: TransferCode, audit: CommandAudit): Promise<boolean> {
    return this.runAudited(audit, async (transaction) => {
      if (!(await transaction.getRepository(Asset).existsBy({ id: code.id }))) return false;
      await transaction.getRepository(TransferCode).upsert(code, ['id']);
      return true;
    });
  }

  /** Also deletes the transfer codes that the key's account has issued. @returns false if there is no such key, or it is revoked already */
  revokeKey(id: string, revokedUs: number, audit: CommandAudit): Promise<boolean> {
    return this.runAudited(audit, async (transaction) => {
      const keys = transaction.getRepository(ApiKey);
      const { affected = 0 } = await keys.update({ id, revokedUs: IsNull() }, { revokedUs });
      if (affected === 0) return false;
      const { account } = await keys.findOneOrFail({ where: { id }, relations: { account: true } });
      await transaction.query(DELETE_CODES_OF_ISSUER, [account.name]);
      return true;
    });
  }

  /** Runs the work and writes its audit row in one transaction. @returns false, without a row, if the work changed nothing */
  private async runAudited(
    audit: CommandAudit,
    work: (transaction: EntityManager) => Promise<boolean>,
  ): Promise<boolean> {
    try {
      await this.writer.transaction(async (transaction) => {
        // Write first: on SQLite a transaction that began with a read fails to write if another connection has written since.
        await transaction.getRepository(AuditEntry).insert({ ...audit, requestId: null });
        if (!(await work(transaction))) throw new NothingChanged();
      });
      return true;
    } catch (error) {
      if (error instanceof NothingChanged) return false;
      throw error;
    }
  }
}

/** Rolls a transaction back. */
class NothingChanged extends Error {}
