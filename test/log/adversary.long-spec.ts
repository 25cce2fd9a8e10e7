import { describeLogAdversary } from '../series/log-adversary.js';

/** On each database. By hand: LOG_ATTACKS=10000. */
describeLogAdversary(Number(process.env.LOG_ATTACKS ?? 500), 5_200);
