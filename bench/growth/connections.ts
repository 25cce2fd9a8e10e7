import { connect, type Socket } from 'node:net';
import type { Databases } from '../databases.js';
import type { Figures } from '../figures.js';
import { page } from '../load/requests.js';
import { type Bench, compare } from '../measure.js';
import type { ConnectionRow } from './results.js';
import { startOn } from './sizes.js';

const OPENED_AT_ONCE = 100;

/** Memory with more and more connections that wait, while the usual number of them reads. */
export async function againstConnections(
  counts: readonly number[],
  databases: Databases,
  size: number,
  bench: Bench,
  tell: (line: string) => void,
): Promise<ConnectionRow[]> {
  const target = await startOn(databases, size);
  const rows: ConnectionRow[] = [];
  const active = bench.settings.connections;
  try {
    for (const idle of counts) {
      const sockets = await openIdle(target.url, idle);
      const [{ rss }] = (await compare(bench, [{ target, load: { mode: 'closed', kind: 'read' } }])).medians as [
        Figures,
      ];
      rows.push({ idle, active, rss });
      tell(`${idle} idle and ${active} active connections: ${Math.round(rss / 1_024 / 1_024)} MB`);
      for (const socket of sockets) socket.destroy();
    }
  } finally {
    await target.stop();
  }
  return rows;
}

/** Each has asked once and waits. */
async function openIdle(url: string, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const more = Math.min(OPENED_AT_ONCE, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: more }, () => askOnce(new URL(url))))));
  }
  return sockets;
}

function askOnce({ hostname, port }: URL): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(page('', 1)));
    socket.once('error', reject);
    socket.once('data', () => resolve(socket));
  });
}
