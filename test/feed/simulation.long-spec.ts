import { describeHistories } from '../series/histories.js';

/** On each of four kinds of databases; by hand as many as one has the time for. */
describeHistories(Number(process.env.SIMULATION_SEEDS ?? 300));
