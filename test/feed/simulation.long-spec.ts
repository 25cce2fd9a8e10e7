import { describeHistories } from '../series/histories.js';

/** Two thousand on all kinds of databases together; by hand as many as one has the time for. */
describeHistories(Number(process.env.SIMULATION_SEEDS ?? 500));
