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
import { CODE_LIFE_US, newTransferCode } from './transfer-code.js';

/** What the name of an account looks like. */
export const ACCOUNT_NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$/;
/**
 * Neither begins nor ends with a space. With characters that nobody sees two names would look the same, and with those of direction one
 * would turn the text beside it.
 */
const DISPLAY_NAME = /^(?!\s)[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]{1,200}(?<!\s)$/u;
const INSTALL_ATTEMPTS = 10;
const INSTALL_PAUSE_MS = 50;
/** Columns of a new account that are set later, if ever. */
const PLAIN = { disabledUs: null, displayName: null };
const nowUs = (): number => Date.now() * 1_000;

/** What operators do with accounts, keys and owner tokens; each change leaves a line in the audit. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly repository: AccountsRepository,
    private readonly audit: AuditReader,
  ) {}

  /**
   * Makes a key, and the account where it is new.
   * @param expiresUs microseconds since 1970 UTC
   * @returns the key, which is shown this once
   * @throws Error with a sentence for the operator
   */
  async createKey(accountName: string, role: Role, expiresUs: number | null): Promise<{ id: string; key: string }> {
    const { account, isNew } = await this.accountFor(accountName, role);
    if (await this.isWithoutKeys(account)) await this.enableAccount(accountName);
    else assertEnabled(account);
    const key = newApiKey();
    const made = keyOf(account, key, expiresUs);
    await this.repository.insertKey(made, isNew, audited('key.create', made.id, { account: accountName, role }));
    return { id: made.id, key };
  }

  /** Whether an account waits for its first key: an import has made it, disabled, for the owner of assets. */
  private async isWithoutKeys({ id, disabledUs }: Account): Promise<boolean> {
    return disabledUs !== null && !(await this.listKeys()).some(({ account }) => account.id === id);
  }

  listKeys(): Promise<ApiKey[]> {
    return this.repository.listKeys();
  }

  listAccounts(): Promise<Account[]> {
    return this.repository.listAccounts();
  }

  /** What each account has had stored on a local day, in bytes, by its name. @param day `2017-08-16` */
  storedOn(day: string): Promise<ReadonlyMap<string, number>> {
    return this.repository.storedBytesOn(day);
  }

  /** Refuses all keys of an account from now on; no new one is made until it is enabled. @throws Error when there is no such account */
  async disableAccount(name: string): Promise<void> {
    await this.changeAccount(name, { disabledUs: nowUs() }, audited('account.disable', name));
  }

  /** Accepts its keys again. @throws Error when there is no such account */
  async enableAccount(name: string): Promise<void> {
    await this.changeAccount(name, { disabledUs: null }, audited('account.enable', name));
  }

  /**
   * Says under which name people see an account.
   * @param displayName null for none but its own
   * @throws Error when there is no such account, or nobody could read the name
   */
  async setDisplayName(name: string, displayName: string | null): Promise<void> {
    if (displayName !== null && !DISPLAY_NAME.test(displayName))
      throw new Error(
        'A display name is 1 to 200 characters in a line, none of them invisible, with no space at its ends',
      );
    const told = audited('account.display-name', name, displayName === null ? {} : { displayName });
    await this.changeAccount(name, { displayName }, told);
  }

  private async changeAccount(name: string, to: AccountChange, told: CommandAudit): Promise<void> {
    if (!(await this.repository.changeAccount(name, to, told))) throw new Error(`There is no account ${name}`);
  }

  /** @throws Error when there is no such key, or it was revoked before */
  async revokeKey(id: string): Promise<void> {
    if (!(await this.repository.revokeKey(id, nowUs(), audited('key.revoke', id))))
      throw new Error(`There is no key ${id} that could be revoked`);
  }

  /**
   * Makes a new key for the account of another one, which is accepted for a while longer.
   * @param overlapUs for how long, in microseconds
   * @param expiresUs when the new one expires, in microseconds since 1970 UTC
   * @returns the new key, which is shown this once, until when the old one is accepted, and until when it would have been (null: for ever),
   * in microseconds since 1970 UTC
   * @throws Error when there is no such key, or it is not accepted any more, or its account is disabled
   */
  async rotateKey(
    id: string,
    overlapUs: number,
    expiresUs: number | null,
  ): Promise<{ id: string; key: string; oldExpiresUs: number; oldEndUs: number | null }> {
    const old = (await this.repository.listKeys()).find((key) => key.id === id);
    if (old === undefined || old.revokedUs !== null || (old.expiresUs !== null && old.expiresUs <= nowUs()))
      throw new Error(`There is no key ${id} that is still accepted`);
    assertEnabled(old.account);
    const oldExpiresUs = Math.min(nowUs() + overlapUs, old.expiresUs ?? Infinity);
    const key = newApiKey();
    const made = keyOf(old.account, key, expiresUs);
    const told = audited('key.rotate', id, { account: old.account.name, newKey: made.id });
    await this.repository.replaceKey(id, oldExpiresUs, made, told);
    return { id: made.id, key, oldExpiresUs, oldEndUs: old.expiresUs };
  }

  /**
   * Gives an asset a new owner token; the old one is refused from then on.
   * @param asset its id or assetID
   * @returns the token, which is shown this once
   * @throws Error when there is no such asset
   */
  async reissueToken(asset: string): Promise<string> {
    const token = newOwnerToken();
    const id = await getIdOfAsset(asset, this.audit);
    const told = audited('token.reissue', id);
    if (!(await this.repository.replaceTokenDigest(id, secretDigest(token), told)))
      throw new Error(`There is no asset ${asset}`);
    return token;
  }

  /**
   * Gives out a code with which another broker takes an asset over; an earlier one is refused from then on.
   * @param asset its id or assetID
   * @returns the code, which is shown this once, and until when it is taken, in microseconds since 1970 UTC
   * @throws Error when there is no such asset
   */
  async issueTransferCode(asset: string): Promise<{ code: string; expiresUs: number }> {
    const code = newTransferCode();
    const expiresUs = nowUs() + CODE_LIFE_US;
    const id = await getIdOfAsset(asset, this.audit);
    const told = audited('transfer.code', id);
    if (!(await this.repository.saveTransferCode({ id, digest: secretDigest(code), expiresUs }, told)))
      throw new Error(`There is no asset ${asset}`);
    return { code, expiresUs };
  }

  /** Installs the demo accounts where there is no account at all. @returns whether the demo keys work now */
  async installDemoKeys(): Promise<boolean> {
    const keys = DEMO_ACCOUNTS.map(({ name, role }) =>
      keyOf({ id: newId(), name, role, createdUs: nowUs(), ...PLAIN }, name, null),
    );
    // Of processes that start together one is the first; the others' rows are duplicates of its.
    for (let attempt = 1; !(await this.repository.anyAccountExists()); attempt++) {
      try {
        await this.repository.insertFirstKeys(keys, audited('key.demo', 'demo'));
      } catch (error) {
        if (attempt === INSTALL_ATTEMPTS) throw error;
        await sleep(INSTALL_PAUSE_MS);
      }
    }
    return this.repository.keyExists(secretDigest('broker'));
  }

  /** @throws DatabaseUnusableError that names the accounts whose keys anyone knows, where one is still accepted */
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

  /** Two names that differ in case alone are taken for one by people. @throws Error that names the account that is there */
  private async assertOtherLetters(name: string): Promise<void> {
    const similar = (await this.repository.listAccounts()).find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (similar !== undefined)
      throw new Error(`There is an account ${similar.name}, and ${name} differs from it in upper and lower case alone`);
  }

  private async accountFor(name: string, role: Role): Promise<{ account: Account; isNew: boolean }> {
    if (!ACCOUNT_NAME.test(name)) {
      throw new Error(
        'The name of an account is 1 to 100 letters, digits and . _ @ -, and begins with a letter or digit',
      );
    }
    const existing = await this.repository.findAccount(name);
    if (existing !== undefined && existing.role !== role)
      throw new Error(`The account ${name} has the role ${existing.role}`);
    if (existing !== undefined) return { account: existing, isNew: false };
    await this.assertOtherLetters(name);
    return { account: { id: newId(), name, role, createdUs: nowUs(), ...PLAIN }, isNew: true };
  }
}

function audited(action: AuditAction, subject: string, detail: Record<string, string> = {}): CommandAudit {
  return { us: nowUs(), subject, actor: operatorName(), action, detail: JSON.stringify(detail) };
}

/** @throws Error for an account whose keys are refused: a new one would not work, and nobody would know why */
function assertEnabled({ name, disabledUs }: Account): void {
  if (disabledUs !== null)
    throw new Error(
      `The account ${name} is disabled, and its keys are refused: "registry account enable ${name}" first`,
    );
}

function isAccepted({ account, expiresUs, revokedUs }: ApiKey): boolean {
  return account.disabledUs === null && revokedUs === null && (expiresUs === null || expiresUs > nowUs());
}

function keyOf(account: Account, key: string, expiresUs: number | null): ApiKey {
  const id = newId().slice(0, 12);
  return { id, account, digest: secretDigest(key), createdUs: nowUs(), expiresUs, revokedUs: null, usedDay: null };
}
