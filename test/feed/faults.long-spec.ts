import { DATABASE_KINDS } from '../faults/databases.js';
import { describeClockSteps, describeFaults, describeWorkerFaults } from '../series/faults.js';

describeFaults(DATABASE_KINDS);
describeWorkerFaults();
describeClockSteps(['sqlite', 'mariadb']);
