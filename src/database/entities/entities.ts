import { Account } from './account.entity.js';
import { ApiKey } from './api-key.entity.js';
import { AssetSequence } from './asset-sequence.entity.js';
import { Asset } from './asset.entity.js';
import { AuditEntry } from './audit-entry.entity.js';
import { ClockWitness } from './clock-witness.entity.js';
import { FeedBarrier } from './feed-barrier.entity.js';
import { FeedClock } from './feed-clock.entity.js';
import { LogEntry } from './log-entry.entity.js';
import { LogHead } from './log-head.entity.js';
import { LogNode } from './log-node.entity.js';
import { Receipt } from './receipt.entity.js';
import { Redaction } from './redaction.entity.js';
import { Revision } from './revision.entity.js';
import { ServiceLease } from './service-lease.entity.js';
import { StoredBytes } from './stored-bytes.entity.js';
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
  LogEntry,
  LogHead,
  LogNode,
  Receipt,
  Redaction,
  Revision,
  ServiceLease,
  StoredBytes,
  TransferCode,
];
