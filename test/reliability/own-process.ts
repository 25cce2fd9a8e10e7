import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';

/** A part of a measurement in a process of its own: the same program with a command that only it is given. */
export class OwnProcess<Answer> {
  private constructor(private readonly child: ChildProcess) {}

  static start<T>(words: string[]): OwnProcess<T> {
    const child = fork(process.argv[1] as string, words);
    cleanUpAtExit(() => child.kill('SIGKILL'));
    return new OwnProcess<T>(child);
  }

  /** Sends a word and waits for its answer. */
  async ask(word: string): Promise<Answer> {
    const answer = once(this.child, 'message');
    this.child.send(word);
    return ((await answer) as [Answer])[0];
  }

  async stop(): Promise<void> {
    const end = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await end;
  }
}

/** The other side: calls `answer` for every word. */
export function answerParent(answer: (word: string) => unknown): void {
  process.on('message', (word: string) => {
    void Promise.resolve(answer(word)).then((given) => process.send?.(given ?? null));
  });
  // Without its parent it has no reason to go on.
  process.once('disconnect', () => process.exit());
}
