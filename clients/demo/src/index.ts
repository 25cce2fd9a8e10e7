/* The interface that the service loads for --demo. */
export { exampleStates, type RegistryFacts } from './example-states.js';
