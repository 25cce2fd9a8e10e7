import { Account } from './account.entity.js';
import { ApiKey } from './api-key.entity.js';
import { AssetSequence } from './asset-sequence.entity.js';
import { Asset } from './asset.entity.js';
import { AuditEntry } from './audit-entry.entity.js';
import { ClockWitness } from './clock-witness.entity.js';
import { FeedBarrier } from './feed-barrier.entity.js';
import { FeedClock } from './feed-clock.entity.js';
import { Receipt } from './receipt.entity.js';
import { Revision } from './revision.entity.js';
import { ServiceLease } from './service-lease.entity.js';
import { TransferCode } from './transfer-code.entity.js';

export const ENTITIES = [
  Account,
  ApiKey,
  Asset,
  AssetSequence,
  AuditEntry,
  ClockWitness,
  FeedBarrier,
  FeedClock,
  Receipt,
  Revision,
  ServiceLease,
  TransferCode,
];
