import { DATABASE_MUTANTS } from './database-mutants.js';
import { FEED_MUTANTS } from './feed-mutants.js';
import { LEDGER_MUTANTS } from './ledger-mutants.js';
import type { Mutant } from './mutant.js';

export const MUTANTS: readonly Mutant[] = [...LEDGER_MUTANTS, ...FEED_MUTANTS, ...DATABASE_MUTANTS];
