import { DATABASE_KINDS } from '../faults/databases.js';
import { describeFaults, describeWorkerFaults } from '../series/faults.js';

describeFaults(DATABASE_KINDS, 6);
describeWorkerFaults('mariadb');
