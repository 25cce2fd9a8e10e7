import { type Dialect, DatabaseUnusableError } from '../dialects/dialect.js';

/** Runs `work`. @throws DatabaseUnusableError with a remedy, instead of an error that a retry cannot cure */
export async function explainRefusal<T>(dialect: Dialect, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const refusal = dialect.describeRefusal(error);
    if (refusal === undefined) throw error;
    throw new DatabaseUnusableError(`DATABASE_URL: ${refusal}`, { cause: error });
  }
}

/**
 * Runs `work` for a command, which does not wait for a database.
 * @param name of the database, for the message
 * @throws DatabaseUnusableError with the reason if the database is down
 */
export async function explainOutage<T>(dialect: Dialect, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseUnusableError || dialect.classifyFailure(error) === 'defect') throw error;
    const { message } = error as Error;
    throw new DatabaseUnusableError(`${name}: ${dialect.describeFailure(error)} (${message})`, { cause: error });
  }
}
