import { describeExamples } from '../series/examples.js';
import { databases } from '../support/databases.js';

describeExamples(databases.filter(({ name }) => name !== 'SQLite'));
