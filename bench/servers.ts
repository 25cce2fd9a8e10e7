/** All that can be measured, in the order in which they are told. */
export const SERVERS = ['floor', 'fastify', 'registry'] as const;
export type ServerName = (typeof SERVERS)[number];

/** Something of each server; the one of Fastify is measured only where it is asked for. */
export interface ByServer<T> {
  floor: T;
  fastify?: T;
  registry: T;
}

/** As people call them. */
export const SERVER_TITLES: Record<ServerName, string> = {
  floor: 'floor',
  fastify: 'Fastify',
  registry: 'registry',
};

/** Those that are there, in their order. */
export function eachServer<T>(servers: ByServer<T>): [name: ServerName, value: T][] {
  return SERVERS.flatMap((name) => {
    const value = servers[name];
    return value === undefined ? [] : [[name, value] as [ServerName, T]];
  });
}
