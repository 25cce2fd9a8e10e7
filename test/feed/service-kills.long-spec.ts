import { describeGroupKills } from '../series/group-kills.js';
import { describeLiveKills } from '../series/live-kills.js';
import { describeServiceKills } from '../series/service-kills.js';

describeServiceKills(4);
describeGroupKills(8, 400);
/** By hand: LIVE_KILLS=1000 LIVE_FOLLOWERS=200. */
describeLiveKills(Number(process.env.LIVE_KILLS ?? 4), Number(process.env.LIVE_FOLLOWERS ?? 40));
