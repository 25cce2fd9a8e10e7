import { describeSyncKills } from '../series/sync-kills.js';
import { copies } from '../support/copies.js';

describeSyncKills(copies.slice(0, 1), 3, 2_000);
