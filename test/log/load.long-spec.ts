import { describeLogLoad } from '../series/log-load.js';

/** By hand: LOG_KILLS=100. */
describeLogLoad(Number(process.env.LOG_KILLS ?? 8), 5_200);
