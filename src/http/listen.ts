import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';

/** @returns the URL with the actual port @throws the system's error if the address cannot be bound */
export async function listen(server: Server, address: ListenOptions & { host: string }): Promise<string> {
  server.listen(address);
  await once(server, 'listening');
  const { host } = address;
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${(server.address() as AddressInfo).port}`;
}

/** Whether a HOST can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || host === '::1' || host.startsWith('127.');
}
