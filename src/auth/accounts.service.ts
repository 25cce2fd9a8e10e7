import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  type AccountChange,
  AccountsRepository,
  type CommandAudit,
} from '../database/repositories/accounts-repository.js';
import { AuditReader } from '../database/readers/audit-reader.js';
import { DatabaseUnusableError } from '../database/dialects/dialect.js';
import type { Account, Role } from '../database/entities/account.entity.js';
import type { ApiKey } from '../database/entities/api-key.entity.js';
import type { AuditAction } from '../database/entities/audit-entry.entity.js';
import { getIdOfAsset, newId } from '../feed/asset-identifiers.js';
import { newApiKey, secretDigest } from './api-key.js';
import { DEMO_ACCOUNTS } from './demo-accounts.js';
import { operatorName } from './operator.js';
import { newOwnerToken } from './owner-token.js';
import { TRANSFER_CODE_TTL_US, newTransferCode } from './transfer-code.js';

export const ACCOUNT_NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$/;
export const ACCOUNT_NAME_RULE =
  'The name of an account is 1 to 100 letters, digits and . _ @ -, and begins with a letter or digit';
/**
 * No space at the ends. No invisible characters, with which two names could look the same, and no direction marks, which would reverse the
 * text next to the name.
 */
const DISPLAY_NAME = /^(?!\s)[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]{1,200}(?<!\s)$/u;
const INSTALL_ATTEMPTS = 10;
const INSTALL_PAUSE_MS = 50;
const UNSET_COLUMNS = { disabledUs: null, displayName: null };
const nowUs = (): number => Date.now() * 1_000;

/** Operators' management of accounts, keys and owner tokens; each change adds a row to the audit. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly repository: AccountsRepository,
    private readonly audit: AuditReader,
  ) {}

  /**
   * Creates a key, and the account if it is new.
   * @param expiresUs microseconds since 1970 UTC
   * @returns the key, which is shown only once
   * @throws Error with a sentence for the operator
   */
  async createKey(accountName: string, role: Role, expiresUs: number | null): Promise<{ id: string; key: string }> {
    const { account, isNew } = await this.accountFor(accountName, role);
    if (await this.isWithoutKeys(account)) await this.enableAccount(accountName);
    else assertEnabled(account);
    const key = newApiKey();
    const newKey = keyRow(account, key, expiresUs);
    await this.repository.insertKey(newKey, isNew, auditEntry('key.create', newKey.id, { account: accountName, role }));
    return { id: newKey.id, key };
  }

  /** Whether an account has never had a key, because an import created it, disabled, as the owner of assets. */
  private async isWithoutKeys({ id, disabledUs }: Account): Promise<boolean> {
    return disabledUs !== null && !(await this.listKeys()).some(({ account }) => account.id === id);
  }

  listKeys(): Promise<ApiKey[]> {
    return this.repository.listKeys();
  }

  listAccounts(): Promise<Account[]> {
    return this.repository.listAccounts();
  }

  /** Bytes that each account stored on a local day, by account name. @param day `2017-08-16` */
  storedOn(day: string): Promise<ReadonlyMap<string, number>> {
    return this.repository.storedBytesOn(day);
  }

  /** Refuses an account's keys, and new keys for it, until it is enabled. @throws Error if there is no such account */
  async disableAccount(name: string): Promise<void> {
    await this.changeAccount(name, { disabledUs: nowUs() }, auditEntry('account.disable', name));
  }

  /** Accepts an account's keys again. @throws Error if there is no such account */
  async enableAccount(name: string): Promise<void> {
    await this.changeAccount(name, { disabledUs: null }, auditEntry('account.enable', name));
  }

  /**
   * Sets the name under which pages show an account.
   * @param displayName null: the account's own name
   * @throws Error if there is no such account, or the name is not readable
   */
  async setDisplayName(name: string, displayName: string | null): Promise<void> {
    if (displayName !== null && !DISPLAY_NAME.test(displayName))
      throw new Error(
        'A display name is 1 to 200 characters in a line, none of them invisible, with no space at its ends',
      );
    const entry = auditEntry('account.display-name', name, displayName === null ? {} : { displayName });
    await this.changeAccount(name, { displayName }, entry);
  }

  private async changeAccount(name: string, to: AccountChange, entry: CommandAudit): Promise<void> {
    if (!(await this.repository.changeAccount(name, to, entry))) throw new Error(`There is no account ${name}`);
  }

  /** @throws Error if there is no such key, or it is already revoked */
  async revokeKey(id: string): Promise<void> {
    if (!(await this.repository.revokeKey(id, nowUs(), auditEntry('key.revoke', id))))
      throw new Error(`There is no key ${id} that could be revoked`);
  }

  /**
   * Replaces a key by a new one for the same account; the old key stays valid for a while.
   * @param overlapUs for how long, in microseconds
   * @param expiresUs when the new key expires, in microseconds since 1970 UTC
   * @returns the new key, which is shown only once, and the new and previous expiry of the old key (null: never), in microseconds since 1970 UTC
   * @throws Error if there is no such key, it is no longer valid, or its account is disabled
   */
  async rotateKey(
    id: string,
    overlapUs: number,
    expiresUs: number | null,
  ): Promise<{ id: string; key: string; oldExpiresUs: number; previousExpiresUs: number | null }> {
    const old = (await this.repository.listKeys()).find((key) => key.id === id);
    if (old === undefined || old.revokedUs !== null || (old.expiresUs !== null && old.expiresUs <= nowUs()))
      throw new Error(`There is no key ${id} that is still accepted`);
    assertEnabled(old.account);
    const oldExpiresUs = Math.min(nowUs() + overlapUs, old.expiresUs ?? Infinity);
    const key = newApiKey();
    const newKey = keyRow(old.account, key, expiresUs);
    const entry = auditEntry('key.rotate', id, { account: old.account.name, newKey: newKey.id });
    await this.repository.replaceKey(id, oldExpiresUs, newKey, entry);
    return { id: newKey.id, key, oldExpiresUs, previousExpiresUs: old.expiresUs };
  }

  /**
   * Replaces an asset's owner token.
   * @param asset its id or assetID
   * @returns the new token, which is shown only once
   * @throws Error if there is no such asset
   */
  async reissueToken(asset: string): Promise<string> {
    const token = newOwnerToken();
    const id = await getIdOfAsset(asset, this.audit);
    const entry = auditEntry('token.reissue', id);
    if (!(await this.repository.replaceTokenDigest(id, secretDigest(token), entry)))
      throw new Error(`There is no asset ${asset}`);
    return token;
  }

  /**
   * Issues a code with which another broker takes over an asset; it replaces an earlier code.
   * @param asset its id or assetID
   * @returns the code, which is shown only once, and its expiry in microseconds since 1970 UTC
   * @throws Error if there is no such asset
   */
  async issueTransferCode(asset: string): Promise<{ code: string; expiresUs: number }> {
    const code = newTransferCode();
    const expiresUs = nowUs() + TRANSFER_CODE_TTL_US;
    const id = await getIdOfAsset(asset, this.audit);
    const entry = auditEntry('transfer.code', id);
    if (!(await this.repository.saveTransferCode({ id, digest: secretDigest(code), expiresUs }, entry)))
      throw new Error(`There is no asset ${asset}`);
    return { code, expiresUs };
  }

  /** Creates the demo accounts if there is no account at all. @returns whether the demo keys work now */
  async installDemoKeys(): Promise<boolean> {
    const keys = DEMO_ACCOUNTS.map(({ name, role }) =>
      keyRow({ id: newId(), name, role, createdUs: nowUs(), ...UNSET_COLUMNS }, name, null),
    );
    // If several processes start together, one succeeds, and the others fail with duplicate rows.
    for (let attempt = 1; !(await this.repository.anyAccountExists()); attempt++) {
      try {
        await this.repository.insertFirstKeys(keys, auditEntry('key.demo', 'demo'));
      } catch (error) {
        if (attempt === INSTALL_ATTEMPTS) throw error;
        await sleep(INSTALL_PAUSE_MS);
      }
    }
    return this.repository.keyExists(secretDigest('broker'));
  }

  /** @throws DatabaseUnusableError if a demo key is still valid; it names the accounts */
  async assertNoDemoKeys(): Promise<void> {
    const known = new Set(DEMO_ACCOUNTS.map(({ name }) => secretDigest(name)));
    const accepted = (await this.repository.listKeys()).filter((key) => known.has(key.digest) && isAccepted(key));
    if (accepted.length === 0) return;
    const names = accepted.map(({ account }) => account.name);
    const commands = accepted.map(({ id }) => `  registry key revoke ${id}`);
    throw new DatabaseUnusableError(
      `The database has demo keys, which anyone knows, of ${names.join(', ')}. NODE_ENV=production does not start with them. Revoke them first:\n${commands.join('\n')}`,
    );
  }

  /** Refuses a name that differs from an existing one only in case, as people would confuse them. @throws Error naming the existing account */
  private async assertDiffersNotOnlyInCase(name: string): Promise<void> {
    const similar = (await this.repository.listAccounts()).find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (similar !== undefined)
      throw new Error(`There is an account ${similar.name}, and ${name} differs from it only in upper and lower case`);
  }

  private async accountFor(name: string, role: Role): Promise<{ account: Account; isNew: boolean }> {
    if (!ACCOUNT_NAME.test(name)) throw new Error(ACCOUNT_NAME_RULE);
    const existing = await this.repository.findAccount(name);
    if (existing !== undefined && existing.role !== role)
      throw new Error(`The account ${name} has the role ${existing.role}`);
    if (existing !== undefined) return { account: existing, isNew: false };
    await this.assertDiffersNotOnlyInCase(name);
    return { account: { id: newId(), name, role, createdUs: nowUs(), ...UNSET_COLUMNS }, isNew: true };
  }
}

function auditEntry(action: AuditAction, subject: string, detail: Record<string, string> = {}): CommandAudit {
  return { us: nowUs(), subject, actor: operatorName(), action, detail: JSON.stringify(detail) };
}

/** @throws Error if the account is disabled, because its new key would be refused without explanation */
function assertEnabled({ name, disabledUs }: Account): void {
  if (disabledUs !== null)
    throw new Error(
      `The account ${name} is disabled, and its keys are refused: "registry account enable ${name}" first`,
    );
}

function isAccepted({ account, expiresUs, revokedUs }: ApiKey): boolean {
  return account.disabledUs === null && revokedUs === null && (expiresUs === null || expiresUs > nowUs());
}

function keyRow(account: Account, key: string, expiresUs: number | null): ApiKey {
  const id = newId().slice(0, 12);
  return { id, account, digest: secretDigest(key), createdUs: nowUs(), expiresUs, revokedUs: null, usedDay: null };
}
