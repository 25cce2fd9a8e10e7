import { DATABASE_KINDS } from '../faults/databases.js';
import { describeClockSteps, describeFaults } from '../series/faults.js';

describeFaults(DATABASE_KINDS);
describeClockSteps(['sqlite', 'mariadb']);
