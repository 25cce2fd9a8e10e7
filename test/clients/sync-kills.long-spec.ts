import { describeSyncKills } from '../series/sync-kills.js';
import { copies } from '../support/copies.js';

describeSyncKills(copies, 10, 10_000);
