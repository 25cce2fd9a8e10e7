import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pipeline } from './mysql-connection.js';

/** Runs one command after the other, as the driver's connection does. */
class Connection {
  sequenceId = 0;
  readonly written: string[] = [];
  readonly stream = { cork: () => void this.written.push('('), uncork: () => void this.written.push(')') };
  readonly queued: Command[] = [];

  addCommand(command: Command): Command {
    this.queued.push(command);
    if (this.queued.length === 1) command.execute(undefined, this);
    return command;
  }

  /** Delivers a packet. @returns whether its number is the expected one */
  receive(packet: string, number: number): boolean {
    const isExpected = this.sequenceId === number;
    this.sequenceId++;
    if (this.queued[0]?.execute(packet, this) === true) this.queued.shift();
    return isExpected;
  }
}

interface Command {
  execute(packet: unknown, connection: Connection): boolean;
  onResult?(error: Error): void;
  statement?: unknown;
}

let connection: Connection;
let over: string[];

beforeEach(() => {
  connection = new Connection();
  over = [];
});

/** Queues a command. @param packets of its answer; 0 if it cannot be sent */
function ask(name: string, packets = 1, further: Partial<Command> = {}): Command {
  const got: unknown[] = [];
  return connection.addCommand({
    execute: (packet) => {
      if (packet === undefined) {
        connection.sequenceId = 1;
        if (packets > 0) connection.written.push(name);
      } else got.push(packet);
      if (got.length === packets) over.push(`${name}: ${got.join(' ')}`);
      return got.length === packets;
    },
    onResult: (error) => over.push(`${name}: ${error.message}`),
    ...further,
  });
}

describe('pipelined commands', () => {
  it('are sent at once and get their answers in order, each from its first packet on', () => {
    expect(pipeline(connection, () => [ask('a'), ask('b', 2), ask('c')].length)).toBe(3);
    expect(connection.written).toEqual(['(', 'a', 'b', 'c', ')']);
    const numbers: [string, number][] = [
      ['A', 1],
      ['B1', 1],
      ['B2', 2],
      ['C', 1],
    ];
    for (const [packet, number] of numbers) expect(connection.receive(packet, number)).toBe(true);
    expect(over).toEqual(['a: A', 'b: B1 B2', 'c: C']);
    expect(connection.queued).toEqual([]);
  });

  it('wait for a statement that is being prepared', () => {
    pipeline(connection, () => {
      ask('prepare');
      ask('run', 1, { statement: undefined });
      ask('next');
    });
    const sent = (): string => connection.written.join('');
    expect(sent()).toBe('(prepare)');
    connection.receive('P', 1);
    expect(sent()).toBe('(prepare)(runnext)');
    for (const packet of ['R', 'N']) expect(connection.receive(packet, 1)).toBe(true);
    expect(over).toEqual(['prepare: P', 'run: R', 'next: N']);
  });

  it('do not wait for the answer to one that could not be sent', () => {
    pipeline(connection, () => [ask('a', 0), ask('b')]);
    connection.receive('B', 1);
    expect(over).toEqual(['a: ', 'b: B']);
  });

  it('fail with the connection if they have no answer yet', () => {
    pipeline(connection, () => [ask('a'), ask('b'), ask('c')]);
    connection.receive('A', 1);
    connection.queued[0]?.onResult?.(new Error('lost'));
    expect(over).toEqual(['a: A', 'b: lost', 'c: lost']);
  });

  it('are queued on a closed connection, which fails them', () => {
    connection.addCommand = jest.fn((command: Command) => {
      command.onResult?.(new Error('closed'));
      return command;
    });
    pipeline(connection, () => [ask('a'), ask('b')]);
    expect(over).toEqual(['a: closed', 'b: closed']);
  });
});
