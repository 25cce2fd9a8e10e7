import { describeRandomSearches } from '../series/random-searches.js';
import { databases } from '../support/databases.js';

/** Ten thousand on both databases together. */
describeRandomSearches(databases, Number(process.env['QUERIES'] ?? 5_000));
