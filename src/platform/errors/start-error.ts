/** What keeps the service from starting, in a sentence that tells the operator what to do. */
export class StartError extends Error {}
