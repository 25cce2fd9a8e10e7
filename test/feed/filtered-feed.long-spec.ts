import { describeFilteredFeed } from '../series/filtered-feed.js';

/** Number of changes per kill, on each of two databases. */
const CHANGES = Number(process.env['CHANGES'] ?? 320);

describeFilteredFeed(8, CHANGES);
