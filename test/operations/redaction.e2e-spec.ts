import { databases } from '../support/databases.js';
import { describeErasure } from '../series/erasure.js';

describeErasure(databases, 30);
