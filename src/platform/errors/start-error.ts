/** A fault that prevents the start; the message says what the operator can do. */
export class StartError extends Error {}
