import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const FIRST = 20_000;
const END = 32_000;
const ATTEMPTS = 50;

/** A free TCP port of 127.0.0.1 below 32768, from where the kernel takes the ports of outgoing connections. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port found between ${FIRST} and ${END}.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
