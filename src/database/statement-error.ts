/** A statement that failed. Drivers put statements and values into their messages, so logs leave out the message of what has a `driverError`. */
export class StatementError extends Error {
  constructor(readonly driverError: Error) {
    super(driverError.message);
    this.name = 'StatementError';
  }
}
