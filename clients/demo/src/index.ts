/* What the service loads for --demo. */
export { addExamples, BEGIN_AGAIN } from './add-examples.js';
export { DemoError } from './demo-client.js';
