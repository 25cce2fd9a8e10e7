import { BATCH_MUTANTS } from './batch-mutants.js';
import { CLOCK_MUTANTS } from './clock-mutants.js';
import { DATABASE_MUTANTS } from './database-mutants.js';
import { FEED_MUTANTS } from './feed-mutants.js';
import { HISTORY_MUTANTS } from './history-mutants.js';
import { LANE_MUTANTS } from './lane-mutants.js';
import { LISTING_MUTANTS } from './listing-mutants.js';
import { LIVE_MUTANTS } from './live-mutants.js';
import { LOG_MUTANTS } from './log-mutants.js';
import type { Mutant } from './mutant.js';
import { TRANSFER_MUTANTS } from './transfer-mutants.js';
import { TYPE_MUTANTS } from './type-mutants.js';

/** Every mutant, from the way in to the database. */
export const MUTANTS: readonly Mutant[] = [
  ...TYPE_MUTANTS,
  ...CLOCK_MUTANTS,
  ...LANE_MUTANTS,
  ...BATCH_MUTANTS,
  ...FEED_MUTANTS,
  ...LISTING_MUTANTS,
  ...LIVE_MUTANTS,
  ...HISTORY_MUTANTS,
  ...TRANSFER_MUTANTS,
  ...LOG_MUTANTS,
  ...DATABASE_MUTANTS,
];
