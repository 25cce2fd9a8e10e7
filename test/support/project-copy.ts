import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { type Ended, ended } from './process.js';

/** Left out of the copy: regenerated, or specific to the original. */
const LEFT_OUT = ['.env', '.git', '.tools', '.typeorm', 'coverage', 'data', 'node_modules'];
/** npm writes this file in place, so a hard link would change the project's. */
const WRITTEN_BY_NPM = 'node_modules/.package-lock.json';
/** Characters shown of a failed command's output, from its end, which has the cause. */
const MAX_SHOWN = 10_000;
/** Variables that commands inherit; from npm, which runs these tests, only how to reach packages. */
const OF_THE_MACHINE = /^(PATH|HOME|NODE_EXTRA_CA_CERTS|npm_config_(registry|cache))$/i;

/** A copy of the built project in a separate folder, where a test may change it, install packages and run commands. */
export class ProjectCopy {
  /** A folder for the copy and its siblings. */
  readonly parent = mkdtempSync(join(process.env.TEST_DISK_FOLDER ?? tmpdir(), 'registry-copy-'));
  readonly folder = join(this.parent, 'asset-registry');
  private readonly exit = cleanUpAtExit(() => removeFolder(this.parent));

  constructor() {
    const copied = readdirSync('.').filter((name) => !LEFT_OUT.includes(name));
    for (const name of copied) cpSync(name, join(this.folder, name), { recursive: true });
    this.linkPackages();
  }

  /** Copying the installed packages takes half a minute; hard links take a second, if on the same disk. */
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

  /** Writes a file. @param path relative to the copy's folder; may lead to a sibling folder */
  write(path: string, text: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** The environment of commands; npm is offline. */
  readonly environment: Readonly<Record<string, string | undefined>> = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => OF_THE_MACHINE.test(name))),
    // Temporary files are removed with the copy.
    TMPDIR: this.parent,
    // Ignores a .curlrc of the machine's user.
    CURL_HOME: this.parent,
    npm_config_offline: 'true',
    // The peers are installed already; npm would ask the registry for them again.
    npm_config_legacy_peer_deps: 'true',
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  };

  /**
   * Runs a shell command to its end.
   * @param cwd relative to the copy's folder
   */
  run(line: string, cwd = '.'): Promise<Ended> {
    return ended(spawn('/bin/sh', ['-c', line], { cwd: join(this.folder, cwd), env: this.environment }));
  }

  /** The same for a command that must succeed. @returns its output */
  async succeed(line: string, cwd = '.'): Promise<string> {
    const { code, output } = await this.run(line, cwd);
    if (code !== 0) throw new Error(`${line} ended with ${code}:\n${output.slice(-MAX_SHOWN)}`);
    return output;
  }

  remove(): void {
    removeFolder(this.parent);
    this.exit.revoke();
  }
}
