import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { killChild } from '../../scripts/machine/child-process.js';
import { findFreePort } from '../../scripts/machine/free-port.js';
import type { Step } from './page-blocks.js';
import { ProjectCopy } from './project-copy.js';
import { VolatileValues } from './volatile-values.js';

const ADDRESS = '127.0.0.1:8080';
const START = /^(?:npm ci && )?((?:\w+=\S+ )*(?:npm start(?: -- .*)?|node dist\/main\.js))$/;
/** The test machine's disk may be nearly full, which no page is about. */
const NEARLY_FULL = /"status":"degraded"(.*)"disk":"only \d+ % of the disk is free"/;
/** One or more `NAME=value`, which apply to all later commands. */
const VARIABLES = /^(?:[A-Z_]+=(?:'[^']*'|[^\s']+)(?: |$))+$/;
/** Slightly less than a test's limit, so that this error names the awaited output: build and start take two minutes on a busy machine. */
const LIMIT_MS = 170_000;

/**
 * A documentation page, executed in a copy of the project as a reader would. Its blocks:
 *
 * - `console`: a shell in the project's folder runs the text after `$`, which must exit with 0. Lines below a command are its expected standard
 * output; `...` stands for any lines or a part of one. Ids, tokens, keys and times may differ, but consistently over the page, commands included.
 * - `npm start` or `node dist/main.js`, with optional variables before and arguments after `--`, stops the running service, and waits until the new
 * one has printed the lines below. `npm ci &&` before it is skipped: the copy has the project's packages, and CI runs `npm ci`. The service logs
 * at level `warn`.
 * - `NAME=value` sets variables for all later commands. `ID` and `TOKEN` are those of the asset created last; 127.0.0.1:8080 is replaced by the
 * service's address.
 * - `sh` is a script, which must exit with 0. `ts` is a program, which must be valid TypeScript and exit with 0.
 * - A block whose paragraph ends with a path, "... in `path`:", is written to that file.
 */
export class ExecutedPage {
  private readonly values = new VolatileValues();
  private readonly variables: Record<string, string> = {};
  private created = { id: '', token: '' };
  private service: ChildProcess | undefined;

  private constructor(
    readonly copy: ProjectCopy,
    readonly port: number,
  ) {
    // On a terminal, as readers use, curl shows no progress meter.
    copy.write('../.curlrc', 'silent\nshow-error\n');
  }

  static async begin(): Promise<ExecutedPage> {
    return new ExecutedPage(new ProjectCopy(), await findFreePort());
  }

  async end(): Promise<void> {
    await this.stop();
    this.copy.remove();
  }

  /** @throws Error with the actual and the expected output */
  async do(step: Step): Promise<void> {
    if (step.does === 'write') this.copy.write(step.path, step.text);
    else if (step.does === 'run') await this.run(step.command, step.expected);
    else if (step.does === 'script') await this.runScript(step.text);
    else if (step.does === 'program') await this.runProgram(step.text);
    else throw new Error(`Cannot execute the block in line ${step.line}`);
  }

  /** Runs a script to its end; if it ends with `node dist/main.js`, until the service listens. */
  async runScript(text: string): Promise<string> {
    const script = `set -e\n${this.inThisRun(text)}`;
    if (text.trimEnd().endsWith('node dist/main.js')) return this.start(script, '...\n');
    return this.copy.succeed(this.withVariables(script));
  }

  private async run(command: string, expected: string): Promise<void> {
    const start = START.exec(command)?.[1];
    if (start !== undefined) return void (await this.start(start, expected));
    if (VARIABLES.test(command)) return this.setVariables(command);
    const output = this.asOnPage(await this.copy.succeed(this.withVariables(this.inThisRun(command))));
    this.remember(output);
    if (expected !== '' && !this.values.matches(output, expected))
      throw new Error(`Expected output:\n${expected}\nIt expected:\n${output}`);
  }

  private setVariables(command: string): void {
    for (const [, name, value] of this.inThisRun(command).matchAll(/([A-Z_]+)=('[^']*'|\S+)/g))
      this.variables[name as string] = value as string;
  }

  private withVariables(script: string): string {
    const lines = Object.entries(this.variables).map(([name, value]) => `${name}=${value}\n`);
    return lines.join('') + script;
  }

  /** For pages that contain ID and TOKEN instead of values. */
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
    // Like Ctrl+C: npm, its shell and the service all get the signal.
    process.kill(-service.pid, 'SIGINT');
    await ended;
    this.service = undefined;
  }

  /** @returns its output */
  private async start(command: string, expected: string): Promise<string> {
    await this.stop();
    const env = { ...this.copy.environment, PORT: String(this.port), LOG_LEVEL: 'warn' };
    const child = spawn('/bin/sh', ['-c', command], { cwd: this.copy.folder, env, detached: true });
    this.service = child;
    let output = '';
    return new Promise((resolve, reject) => {
      const refuse = (why: string): void =>
        reject(new Error(`${why}\nExpected output:\n${expected}\nIt expected:\n${output}`));
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
          late = setTimeout(refuse, LIMIT_MS, 'The service prints something else');
          if (!this.values.matches(this.asOnPage(output), expected === '' ? '...\n' : expected)) return;
          clearTimeout(late);
          resolve(output);
        });
      }
    });
  }

  /** The path of a file in the copy. */
  path(name: string): string {
    return join(this.copy.folder, name);
  }
}
