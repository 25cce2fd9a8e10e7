import { FirstSchema1700000000000 } from './1700000000000-first-schema.js';
import { Receipts1700000000001 } from './1700000000001-receipts.js';
import { DisabledAccounts1700000000002 } from './1700000000002-disabled-accounts.js';
import { Audit1700000000003 } from './1700000000003-audit.js';
import { FeedEpoch1700000000004 } from './1700000000004-feed-epoch.js';
import { Revisions1700000000005 } from './1700000000005-revisions.js';
import { ServiceLeases1700000000006 } from './1700000000006-service-leases.js';
import { ClockWitness1700000000007 } from './1700000000007-clock-witness.js';
import { Ownership1700000000008 } from './1700000000008-ownership.js';
import { Log1700000000009 } from './1700000000009-log.js';
import { DisplayNames1700000000010 } from './1700000000010-display-names.js';
import { RevisionsBesideBody1700000000011 } from './1700000000011-revisions-beside-body.js';
import { LogEntriesByPlace1700000000012 } from './1700000000012-log-entries-by-place.js';
import { StoredBytes1700000000013 } from './1700000000013-stored-bytes.js';

/** All migrations, oldest first. Never change the result of a released one: append a new one. */
export const MIGRATIONS = [
  FirstSchema1700000000000,
  Receipts1700000000001,
  DisabledAccounts1700000000002,
  Audit1700000000003,
  FeedEpoch1700000000004,
  Revisions1700000000005,
  ServiceLeases1700000000006,
  ClockWitness1700000000007,
  Ownership1700000000008,
  Log1700000000009,
  DisplayNames1700000000010,
  RevisionsBesideBody1700000000011,
  LogEntriesByPlace1700000000012,
  StoredBytes1700000000013,
];
