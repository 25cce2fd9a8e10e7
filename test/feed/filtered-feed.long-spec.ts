import { describeFilteredFeed } from '../series/filtered-feed.js';

/** Of each kill; with twenty kills on two databases: fifty thousand together. */
const CHANGES = Number(process.env['CHANGES'] ?? 1_250);

describeFilteredFeed(20, CHANGES);
