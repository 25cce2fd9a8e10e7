import { type ChildProcess, spawn } from 'node:child_process';
import { type Ended, ended } from '../support/process.js';
import type { Stage } from './stages.js';

const START_MS = 30_000;

/** Runs what an image was made for, as its user, in its folder, with its environment and no other. */
export class Container {
  constructor(
    private readonly image: Stage,
    private readonly directory: string,
    /** As `docker run --env` gives it. */
    private readonly env: Record<string, string>,
  ) {}

  /** Runs a command to its end. */
  run(words: string[]): Promise<Ended> {
    return ended(this.spawn(words));
  }

  /** Starts the image's own command. @returns the process, and the URL at which it says that it listens */
  async start(): Promise<{ service: ChildProcess; url: string }> {
    const service = this.spawn(this.image.command);
    const late = setTimeout(() => service.kill('SIGKILL'), START_MS);
    try {
      return { service, url: await listening(service) };
    } finally {
      clearTimeout(late);
    }
  }

  private spawn([command = '', ...words]: string[]): ChildProcess {
    const user = process.getuid?.() === 0 ? this.image.user : undefined;
    const env = { PATH: process.env.PATH, ...this.image.env, ...this.env };
    return spawn(command, words, { cwd: this.directory, env, ...user });
  }
}

function listening(service: ChildProcess): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    const read = (bytes: Buffer): void => {
      output += bytes.toString();
      const url = /listening on (http:\S+)/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    };
    service.stdout?.on('data', read);
    service.stderr?.on('data', read);
    service.once('error', reject);
    service.once('close', (code) => reject(new Error(`The service ended with ${code}: ${output}`)));
  });
}
