import { describeFilteredFeed } from '../series/filtered-feed.js';

describeFilteredFeed(2, 40);
