import { describeLogLoad } from '../series/log-load.js';

describeLogLoad(1, 52);
