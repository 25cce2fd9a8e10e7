import { readFileSync } from 'node:fs';

/** Of the kernel's table: established, and closed by the other side alone. */
const HELD = new Set(['01', '08']);

/**
 * How many connections a service on this machine holds, as the kernel counts them: who sends them may not notice their end.
 * @param network the first three bytes of the clients' IPv4 addresses, such as `127.0.1.`
 */
export function countConnections(port: number, network: string): number {
  const local = `:${hex(port, 4)}`;
  // Addresses stand there with their last byte first.
  const remote = network
    .split('.')
    .slice(0, 3)
    .toReversed()
    .map((byte) => hex(Number(byte), 2))
    .join('');
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  const fields = lines.map((line) => line.trim().split(/\s+/));
  return fields.filter(
    ([, from = '', to = '', state = '']) => from.endsWith(local) && to.slice(2, 8) === remote && HELD.has(state),
  ).length;
}

const hex = (value: number, length: number): string => value.toString(16).toUpperCase().padStart(length, '0');
