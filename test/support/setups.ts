import { databases, type TestDatabaseKind } from './databases.js';
import { type Reply, type Send, type Sender, TestRegistry } from './registry.js';

/** A database, and how many services share it. */
export interface Setup {
  name: string;
  kind: TestDatabaseKind;
  services: number;
}

/** One service on every database, and two at once where services may share one: not on SQLite. */
export const setups: Setup[] = databases.flatMap((kind) => {
  const one = { name: kind.name, kind, services: 1 };
  return kind.name === 'SQLite' ? [one] : [one, { name: `${kind.name} with two services`, kind, services: 2 }];
});

/** The services of a setup; each request goes to the next one, as a balancer would send it. */
export class Services implements Sender {
  private sent = 0;

  private constructor(private readonly registries: readonly TestRegistry[]) {}

  static async start({ kind, services }: Setup): Promise<Services> {
    const first = await TestRegistry.start(kind);
    const others = Array.from({ length: services - 1 }, () => TestRegistry.startOn(first.databaseUrl));
    return new Services([first, ...(await Promise.all(others))]);
  }

  send(path: string, options?: Send): Promise<Reply> {
    const registry = this.registries[this.sent++ % this.registries.length] as TestRegistry;
    return registry.send(path, options);
  }

  async stop(): Promise<void> {
    for (const registry of this.registries.toReversed()) await registry.stop();
  }
}
