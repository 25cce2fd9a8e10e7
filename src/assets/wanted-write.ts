import type { Permission } from '../auth/found-in-request.js';
import type { ActingAccount } from '../database/access-reader.js';
import type { Receipt } from '../database/entities/receipt.entity.js';
import type { NewCode } from '../feed/writing/kept-code.js';
import type { Author, DraftedAsset } from '../feed/writing/operation.js';
import type { GroupMember } from './group-change.js';
import type { Taking } from './ownership-change.js';

/** What is asked for, by whom, with which proof. */
export type WantedWrite = WantedCreation | WantedChange | WantedGroup | WantedCode | WantedTaking;

/** What is the same for all writes. */
export interface Asked {
  author: Author;
  /** About how many bytes it takes to hold and to write. */
  bytes: number;
  /** How long its request has waited already, in milliseconds. */
  waitedMs: number;
}

/** A new asset. */
export interface WantedCreation extends Asked {
  /** The new asset's id. */
  id: string;
  draft: DraftedAsset;
  /** The receipt to keep of a creation with an Idempotency-Key. */
  receipt?: Omit<Receipt, 'createdUs'>;
}

/** A change of one asset. */
export interface WantedChange extends Asked {
  /** The id of the asset that is changed. */
  id: string;
  /** The members of the patch's `data`. */
  patch: Record<string, unknown>;
  permission: Permission;
  ifMatch?: string;
}

/** An owner's request for a transfer code: nothing is changed that anyone sees. */
export interface WantedCode extends Asked {
  id: string;
  permission: Permission;
  code: NewCode;
}

/** Another broker's request to take over an asset. */
export interface WantedTaking extends Asked {
  id: string;
  taking: Taking;
  /** The receipt to keep of a request with an Idempotency-Key. */
  receipt?: Omit<Receipt, 'createdUs'>;
}

/** A change of several assets as one. */
export interface WantedGroup extends Asked {
  members: readonly GroupMember[];
  account: ActingAccount;
  /** The bodies of the assets as they were when they were asked for, in bytes. */
  readBytes: number;
}
