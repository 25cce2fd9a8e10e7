import { describeVerifyKills } from '../series/verify-kills.js';
import { copies } from '../support/copies.js';

describeVerifyKills(copies.slice(0, 1), 5);
