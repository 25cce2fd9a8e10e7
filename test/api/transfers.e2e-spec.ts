import { describeRacingTransfers } from '../series/transfers.js';

describeRacingTransfers(20);
