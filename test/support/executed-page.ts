import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { killChild } from '../../scripts/machine/child-process.js';
import { findFreePort } from '../../scripts/machine/free-port.js';
import type { Step } from './page-blocks.js';
import { ProjectCopy } from './project-copy.js';
import { ToldValues } from './told-values.js';

const ADDRESS = '127.0.0.1:8080';
const START = /^(?:npm ci && )?((?:\w+=\S+ )*(?:npm start(?: -- .*)?|node dist\/main\.js))$/;
/** Of the machine that the tests are on, which no page is about. */
const NEARLY_FULL = /"status":"degraded"(.*)"disk":"only \d+ % of the disk is free"/;
/** `NAME=value`, once or more often: known to all that follows. */
const VARIABLES = /^(?:[A-Z_]+=(?:'[^']*'|[^\s']+)(?: |$))+$/;
/** A little less than a test may take, so that this says what was waited for: a build and a start take two minutes on a busy machine. */
const LIMIT_MS = 170_000;

/**
 * A page, done as a reader would do it, in a copy of the project. How its blocks are understood:
 *
 * - `console`: what follows `$` is run by a shell in the project's folder, and must end with 0. Where lines stand below it, they are what it
 *   writes to standard output; `...` stands for lines or for a part of one. Ids, tokens, keys and times may be others, but where the page
 *   has one again, in a command too, it is the same one again.
 * - `npm start` or `node dist/main.js`, perhaps with variables before it or words after `--`, ends the service that runs, and goes on when the new one has told what
 *   stands below. `npm ci &&` before it is not done: the copy has the packages of the project, and CI runs `npm ci`. The service writes no
 *   lines of its log below `warn`.
 * - `NAME=value` sets variables for all commands that follow. `ID` and `TOKEN` are those of the asset that was created last; 127.0.0.1:8080
 *   is where the service listens.
 * - `sh` is one script, which must end with 0. `ts` is a program, which must be sound TypeScript and end with 0.
 * - A block whose paragraph ends with a path, "... in `path`:", is that file.
 */
export class ExecutedPage {
  private readonly values = new ToldValues();
  private readonly variables: Record<string, string> = {};
  private created = { id: '', token: '' };
  private service: ChildProcess | undefined;

  private constructor(
    readonly copy: ProjectCopy,
    readonly port: number,
  ) {
    // On a terminal, which a reader has, curl shows no meter of its progress.
    copy.write('../.curlrc', 'silent\nshow-error\n');
  }

  static async begin(): Promise<ExecutedPage> {
    return new ExecutedPage(new ProjectCopy(), await findFreePort());
  }

  async end(): Promise<void> {
    await this.stop();
    this.copy.remove();
  }

  /** @throws Error that says what was told, and what should have been */
  async do(step: Step): Promise<void> {
    if (step.does === 'write') this.copy.write(step.path, step.text);
    else if (step.does === 'run') await this.run(step.command, step.told);
    else if (step.does === 'script') await this.runScript(step.text);
    else if (step.does === 'program') await this.runProgram(step.text);
    else throw new Error(`Nothing here can do the block in line ${step.line}`);
  }

  /** Runs a script to its end; where it ends with `node dist/main.js`, until that listens. */
  async runScript(text: string): Promise<string> {
    const script = `set -e\n${this.inThisRun(text)}`;
    if (text.trimEnd().endsWith('node dist/main.js')) return this.start(script, '...\n');
    return this.copy.succeed(this.withVariables(script));
  }

  private async run(command: string, told: string): Promise<void> {
    const start = START.exec(command)?.[1];
    if (start !== undefined) return void (await this.start(start, told));
    if (VARIABLES.test(command)) return this.setVariables(command);
    const output = this.asOnPage(await this.copy.succeed(this.withVariables(this.inThisRun(command))));
    this.remember(output);
    if (told !== '' && !this.values.isAsTold(output, told))
      throw new Error(`The page says:\n${told}\nIt told:\n${output}`);
  }

  private setVariables(command: string): void {
    for (const [, name, value] of this.inThisRun(command).matchAll(/([A-Z_]+)=('[^']*'|\S+)/g))
      this.variables[name as string] = value as string;
  }

  private withVariables(script: string): string {
    const lines = Object.entries(this.variables).map(([name, value]) => `${name}=${value}\n`);
    return lines.join('') + script;
  }

  /** For a page that has no values of its own, but says ID and TOKEN. */
  private remember(output: string): void {
    const [token, id] = ['token', 'id'].map((name) => new RegExp(`"${name}": ?"([0-9a-f]{32})"`).exec(output)?.[1]);
    if (token !== undefined && id !== undefined) this.created = { id, token };
  }

  private inThisRun(text: string): string {
    return this.values
      .inThisRun(text)
      .replaceAll(ADDRESS, `127.0.0.1:${this.port}`)
      .replaceAll(/(?<![\w$])ID\b(?!=)/g, this.created.id)
      .replaceAll(/(?<![\w$])TOKEN\b(?!=)/g, this.created.token);
  }

  private asOnPage(output: string): string {
    return output
      .replace(NEARLY_FULL, '"status":"ok"$1"disk":"ok"')
      .replaceAll('\r\n', '\n')
      .replaceAll(`127.0.0.1:${this.port}`, ADDRESS)
      .replaceAll(encodeURIComponent(`127.0.0.1:${this.port}`), encodeURIComponent(ADDRESS));
  }

  private async runProgram(source: string): Promise<void> {
    const words = ['--input-type=module', '--eval', this.inThisRun(stripTypeScriptTypes(source))];
    const options = { cwd: this.copy.folder, env: { ...this.copy.environment }, timeout: LIMIT_MS };
    await promisify(execFile)(process.execPath, words, options);
  }

  private async stop(): Promise<void> {
    const { service } = this;
    if (service?.pid === undefined || service.exitCode !== null) return;
    const ended = new Promise((resolve) => service.once('close', resolve));
    // As Ctrl+C does it: npm, the shell below it and the service all get the signal.
    process.kill(-service.pid, 'SIGINT');
    await ended;
    this.service = undefined;
  }

  /** @returns what it told */
  private async start(command: string, told: string): Promise<string> {
    await this.stop();
    const env = { ...this.copy.environment, PORT: String(this.port), LOG_LEVEL: 'warn' };
    const child = spawn('/bin/sh', ['-c', command], { cwd: this.copy.folder, env, detached: true });
    this.service = child;
    let output = '';
    return new Promise((resolve, reject) => {
      const refuse = (why: string): void => reject(new Error(`${why}\nThe page says:\n${told}\nIt told:\n${output}`));
      let late = setTimeout(() => {
        killChild(child);
        refuse('The service does not listen');
      }, LIMIT_MS);
      child.once('close', (code) => refuse(`The service ended with ${code}`));
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (bytes: Buffer) => {
          output += bytes.toString();
          if (!output.includes('listening on')) return;
          clearTimeout(late);
          late = setTimeout(refuse, LIMIT_MS, 'The service tells something else');
          if (!this.values.isAsTold(this.asOnPage(output), told === '' ? '...\n' : told)) return;
          clearTimeout(late);
          resolve(output);
        });
      }
    });
  }

  /** A file of the copy. */
  path(name: string): string {
    return join(this.copy.folder, name);
  }
}
