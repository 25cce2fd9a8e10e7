import { type Dialect, DatabaseUnusableError } from './dialects/dialect.js';

/** Does `work`, and says what to do where it meets what would not get better by waiting. @throws DatabaseUnusableError then */
export async function toldWhenRefused<T>(dialect: Dialect, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const refusal = dialect.refusalOf(error);
    if (refusal === undefined) throw error;
    throw new DatabaseUnusableError(`DATABASE_URL: ${refusal}`, { cause: error });
  }
}
