import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const FIRST = 20_000;
const END = 32_000;
const ATTEMPTS = 50;
/** Each worker of Jest has a separate range and cycles through it, so a port is not offered again before its taker has bound it. */
const WORKERS = 8;
const SHARE = (END - FIRST) / WORKERS;
const OWN_FIRST = FIRST + (Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS) * SHARE;

let tried = randomInt(SHARE);

/** A free TCP port of 127.0.0.1 below 32768, because the kernel takes outgoing ports from there up. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    tried = (tried + 1) % SHARE;
    if (await isFree(OWN_FIRST + tried)) return OWN_FIRST + tried;
  }
  throw new Error(`No free port found between ${OWN_FIRST} and ${OWN_FIRST + SHARE}.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
