import { describeUnreadLogs } from '../series/unread-logs.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';

const [, server] = databases as [TestDatabaseKind, TestDatabaseKind];

// Their lines go through the keeper.
describeUnreadLogs(['a socket', server, '2']);
