import { describeRandomSearches } from '../series/random-searches.js';
import { databases } from '../support/databases.js';

/** Three thousand on both databases together. */
describeRandomSearches(databases, Number(process.env['QUERIES'] ?? 1_500));
