import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';

/** Result of a run of registry-sync. */
export interface SyncEnded {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The built registry-sync in a child process. */
export class SyncProcess {
  private stdout = '';
  private stderr = '';
  private readonly waiting = new Set<() => void>();
  /** The process has exited and all its output was read. */
  private hasEnded = false;

  private constructor(
    private readonly child: ChildProcess,
    readonly end: Promise<SyncEnded>,
  ) {}

  static start(words: readonly string[]): SyncProcess {
    const path = resolvePath('clients/sync/dist/main.js');
    if (!existsSync(path)) throw new Error(`${path} is missing: run "npm run build" first ("npm test" does)`);
    const { PATH, TEST_COMPILE_CACHE: NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, [path, ...words], { env: { PATH, NODE_COMPILE_CACHE } });
    const process_: SyncProcess = new SyncProcess(
      child,
      new Promise((resolve) =>
        child.once('close', (code) => {
          process_.hasEnded = true;
          resolve({ code, stdout: process_.stdout, stderr: process_.stderr });
          for (const look of process_.waiting) look();
        }),
      ),
    );
    child.stdout?.on('data', (bytes: Buffer) => (process_.stdout += bytes.toString()));
    child.stderr?.on('data', (bytes: Buffer) => {
      process_.stderr += bytes.toString();
      for (const look of process_.waiting) look();
    });
    return process_;
  }

  get pid(): number {
    return this.child.pid as number;
  }

  /** Its progress lines so far. */
  get lines(): Record<string, unknown>[] {
    return this.stderr.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Record<string, unknown>); // prettier-ignore
  }

  /** Resolves when it prints a progress line that fits. @throws Error if it exits before */
  async progressLine(fits: (line: Record<string, unknown>) => boolean): Promise<void> {
    while (!this.lines.some(fits)) {
      if (this.hasEnded) throw new Error(`registry-sync ended: ${this.stderr}`);
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT' | 'SIGHUP'): Promise<SyncEnded> {
    this.child.kill(signal);
    return this.end;
  }
}
