import { describeRandomSearches } from '../series/random-searches.js';

describeRandomSearches(50);
