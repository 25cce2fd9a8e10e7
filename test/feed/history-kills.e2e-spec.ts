import { describeHistoryKills } from '../series/history-kills.js';

describeHistoryKills(1);
