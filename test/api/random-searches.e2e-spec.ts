import { describeRandomSearches } from '../series/random-searches.js';
import { embedded } from '../support/databases.js';

/** The index is a file of its own, whatever database it follows: random-searches.long-spec.ts takes each. */
describeRandomSearches(embedded, 50);
