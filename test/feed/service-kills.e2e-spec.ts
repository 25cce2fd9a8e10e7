import { describeServiceKills } from '../series/service-kills.js';

describeServiceKills(1);
