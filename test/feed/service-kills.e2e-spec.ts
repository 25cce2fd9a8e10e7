import { describeGroupKills } from '../series/group-kills.js';
import { describeLiveKills } from '../series/live-kills.js';
import { describeServiceKills } from '../series/service-kills.js';

describeServiceKills(1);
describeGroupKills(2, 60);
describeLiveKills(1, 5);
