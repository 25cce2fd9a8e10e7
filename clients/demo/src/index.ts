/* The interface that the service loads for --demo. */
export { exampleStates, type Registry } from './example-states.js';
