import { describeCopying } from '../series/copying.js';
import { copies } from '../support/copies.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';

const [, server] = databases as [TestDatabaseKind, TestDatabaseKind];

/* What test/clients/sync.e2e-spec.ts says of a registry on SQLite. */
describeCopying([{ registry: server, copies }]);
