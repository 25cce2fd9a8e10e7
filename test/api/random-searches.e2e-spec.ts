import { describeRandomSearches } from '../series/random-searches.js';
import { embedded } from '../support/databases.js';

/** The index is a separate file whatever the database; random-searches.long-spec.ts tests every database. */
describeRandomSearches(embedded, 50);
