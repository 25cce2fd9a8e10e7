import { describeFaults } from '../series/faults.js';

describeFaults(['sqlite', 'mariadb']);
