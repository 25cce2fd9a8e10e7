import { describeRandomSearches } from '../series/random-searches.js';

/** Ten thousand on both databases together. */
describeRandomSearches(Number(process.env['QUERIES'] ?? 5_000));
