import { describeHistories } from '../series/histories.js';

/** Two thousand on all kinds of databases together. */
describeHistories(500);
