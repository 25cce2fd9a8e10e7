import { DATABASE_KINDS } from '../faults/databases.js';
import { describeFaults } from '../series/faults.js';

describeFaults(DATABASE_KINDS, 6);
