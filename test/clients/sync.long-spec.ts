import { describeCopying } from '../series/copying.js';
import { copies, sqlCopies } from '../support/copies.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';

const [sqlite, server] = databases as [TestDatabaseKind, TestDatabaseKind];

/* What test/clients/sync.e2e-spec.ts leaves out. */
describeCopying([
  { registry: sqlite, copies: sqlCopies.slice(0, 1) },
  { registry: server, copies: copies.slice(1) },
]);
