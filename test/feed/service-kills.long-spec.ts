import { describeGroupKills } from '../series/group-kills.js';
import { describeServiceKills } from '../series/service-kills.js';

describeServiceKills(4);
describeGroupKills(4);
