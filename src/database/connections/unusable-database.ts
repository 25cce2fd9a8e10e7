import { type Dialect, DatabaseUnusableError } from '../dialects/dialect.js';

/** Does `work`, and says what to do where it meets what would not get better by waiting. @throws DatabaseUnusableError then */
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
 * Does `work` for a command, which waits for no database, and says what is the matter where it meets one that is away.
 * @param name what the database is called
 * @throws DatabaseUnusableError then
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
