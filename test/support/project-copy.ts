import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { type Ended, ended } from './process.js';

/** What is made anew, or belongs to the one place where it is. */
const LEFT_OUT = ['.env', '.git', '.tools', '.typeorm', 'coverage', 'data', 'node_modules'];
/** npm writes this file in place, so a hard link would change that of the project. */
const WRITTEN_BY_NPM = 'node_modules/.package-lock.json';
/** Characters of the output of a command that failed: its end says why. */
const MAX_TOLD = 10_000;
/** What a command may know of the machine; of npm, which runs these tests, how to reach packages and no more. */
const OF_THE_MACHINE = /^(PATH|HOME|NODE_EXTRA_CA_CERTS|npm_config_(registry|cache))$/i;

/** The project, as it is built, in a folder of its own, where a test may change it, install packages and run commands. */
export class ProjectCopy {
  /** Where other folders may stand beside the copy. */
  readonly parent = mkdtempSync(join(process.env.TEST_DISK_FOLDER ?? tmpdir(), 'registry-copy-'));
  readonly folder = join(this.parent, 'asset-registry');
  private readonly exit = cleanUpAtExit(() => removeFolder(this.parent));

  constructor() {
    const copied = readdirSync('.').filter((name) => !LEFT_OUT.includes(name));
    for (const name of copied) cpSync(name, join(this.folder, name), { recursive: true });
    this.linkPackages();
  }

  /** A copy of the installed packages takes half a minute; links to their files take a second, where they are on the same disk. */
  private linkPackages(): void {
    const target = join(this.folder, 'node_modules');
    try {
      execFileSync('cp', ['-al', resolve('node_modules'), target], { stdio: 'ignore' });
    } catch {
      rmSync(target, { recursive: true, force: true });
      cpSync('node_modules', target, { recursive: true, verbatimSymlinks: true });
    }
    const written = join(this.folder, WRITTEN_BY_NPM);
    rmSync(written, { force: true });
    if (existsSync(WRITTEN_BY_NPM)) cpSync(WRITTEN_BY_NPM, written);
  }

  /** Writes a file. @param path from the copy's folder, perhaps into one beside it */
  write(path: string, text: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** What commands know; npm reaches for no network. */
  readonly environment: Readonly<Record<string, string | undefined>> = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => OF_THE_MACHINE.test(name))),
    // What they leave there goes with the copy.
    TMPDIR: this.parent,
    // A .curlrc of the machine's user does not count.
    CURL_HOME: this.parent,
    npm_config_offline: 'true',
    // The peers are installed already; npm would ask the registry for them again.
    npm_config_legacy_peer_deps: 'true',
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  };

  /**
   * Runs a line of the shell to its end.
   * @param cwd from the copy's folder
   */
  run(line: string, cwd = '.'): Promise<Ended> {
    return ended(spawn('/bin/sh', ['-c', line], { cwd: join(this.folder, cwd), env: this.environment }));
  }

  /** The same for what has to go well. @returns what was written */
  async succeed(line: string, cwd = '.'): Promise<string> {
    const { code, output } = await this.run(line, cwd);
    if (code !== 0) throw new Error(`${line} ended with ${code}:\n${output.slice(-MAX_TOLD)}`);
    return output;
  }

  remove(): void {
    removeFolder(this.parent);
    this.exit.revoke();
  }
}
