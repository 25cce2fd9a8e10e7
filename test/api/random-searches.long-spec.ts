import { describeRandomSearches } from '../series/random-searches.js';
import { databases } from '../support/databases.js';

/** On each of two databases, by a new seed each time. */
describeRandomSearches(databases, Number(process.env['QUERIES'] ?? 800));
