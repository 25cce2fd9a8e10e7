import { createConnection } from 'mysql2/promise';

const AT_ONCE = 8;

/**
 * Leaves transactions in the prepared state on a table of their own. MariaDB looks at every one of them when it makes a read view, which
 * then takes so long that other transactions end meanwhile: a reader that trusts one statement misses changes.
 */
export async function slowViewsDown(serverUrl: string, transactions: number): Promise<void> {
  if (transactions === 0) return;
  await onConnection(serverUrl, (run) => run('CREATE TABLE IF NOT EXISTS prepared (id INT PRIMARY KEY)'));
  let next = 0;
  const preparing = Array.from({ length: AT_ONCE }, async () => {
    while (next < transactions) await prepare(serverUrl, ++next);
  });
  await Promise.all(preparing);
}

/** Each needs a connection of its own, which may end: the transaction stays. */
function prepare(serverUrl: string, number: number): Promise<void> {
  return onConnection(serverUrl, async (run) => {
    await run(`XA START 'slow-${number}'`);
    await run(`INSERT INTO prepared VALUES (${number})`);
    await run(`XA END 'slow-${number}'`);
    await run(`XA PREPARE 'slow-${number}'`);
  });
}

async function onConnection(
  url: string,
  work: (run: (sql: string) => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const connection = await createConnection(url);
  try {
    await work((sql) => connection.query(sql));
  } finally {
    await connection.end();
  }
}
