import type { Writable } from 'node:stream';

/*
 * The driver sends a statement when the one before is answered. A server reads what comes and answers in that order, so several may be sent at
 * once: they cost one way there and back. The driver has no name for that, but its commands are objects that write and read by themselves.
 */

/** A command of the driver: called without a packet it writes its own, then it takes those of its answer. @returns whether it is over */
interface Command {
  execute(packet: unknown, connection: CommandQueue): boolean;
  onResult?(error: Error): void;
  /** Of one that runs a prepared statement; undefined until the command before it has prepared that. */
  statement?: unknown;
}

/** A connection of the driver. */
interface CommandQueue {
  addCommand: (this: CommandQueue, command: Command) => Command;
  /** What the next packet is to be numbered. */
  sequenceId: number;
  stream: Pick<Writable, 'cork' | 'uncork'>;
}

/** An answer begins with this number, as what it answers was the packet before it. */
const FIRST_OF_ANSWER = 1;

/**
 * Sends all commands at once that `begin` has the connection queue.
 * @param connection of mysql2
 */
export function sendTogether<T>(connection: object, begin: () => T): T {
  const queue = connection as CommandQueue;
  // A connection that was closed has another one, which fails what is queued.
  const { addCommand } = queue;
  const commands: Command[] = [];
  queue.addCommand = (command) => {
    commands.push(command);
    return command;
  };
  try {
    return begin();
  } finally {
    queue.addCommand = addCommand;
    if (commands.length > 0) queue.addCommand(new Pipeline(commands));
  }
}

/** Several commands, as one for the driver. */
class Pipeline implements Command {
  /** Those that wait for their answers, in this order. */
  private readonly sent: Command[] = [];

  constructor(private readonly unsent: Command[]) {}

  execute(packet: unknown, connection: CommandQueue): boolean {
    if (packet !== undefined && this.sent[0]?.execute(packet, connection) === true) {
      this.sent.shift();
      connection.sequenceId = FIRST_OF_ANSWER;
    }
    this.send(connection);
    return this.sent.length === 0;
  }

  /** The connection is lost: nobody gets an answer any more. */
  onResult(error: Error): void {
    for (const command of [...this.sent.splice(0), ...this.unsent.splice(0)]) command.onResult?.(error);
  }

  private send(connection: CommandQueue): void {
    connection.stream.cork();
    for (let next = this.unsent[0]; next !== undefined && !this.hasToWait(next); next = this.unsent[0]) {
      this.unsent.shift();
      if (!next.execute(undefined, connection)) this.sent.push(next);
    }
    connection.stream.uncork();
  }

  /** Its statement is being prepared, which is so once for each text and connection. */
  private hasToWait(next: Command): boolean {
    return this.sent.length > 0 && 'statement' in next && next.statement === undefined;
  }
}
