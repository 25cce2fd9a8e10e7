import { describeRacingTransfers } from '../series/transfers.js';

/** Ten thousand on both databases together. */
describeRacingTransfers(Number(process.env['TRANSFERS'] ?? 5_000));
