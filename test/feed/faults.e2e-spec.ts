import { describeFaults } from '../series/faults.js';

describeFaults(['mariadb']);
