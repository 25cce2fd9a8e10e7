import { describeFilteredFeed } from '../series/filtered-feed.js';

/** Of each kill, on each of two databases. */
const CHANGES = Number(process.env['CHANGES'] ?? 320);

describeFilteredFeed(8, CHANGES);
