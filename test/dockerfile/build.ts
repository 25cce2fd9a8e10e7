import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import ignoring from '@balena/dockerignore';
import { ended } from '../support/process.js';
import type { Stage, Step } from './stages.js';

const RUNS_AS_ROOT = process.getuid?.() === 0;
/** Environment variables that a build may see: access to the npm registry and its cache. */
const OF_THE_MACHINE = /^(PATH|HOME|NODE_EXTRA_CA_CERTS|npm_config_(registry|cache)|https?_proxy|no_proxy)$/i;

type Copy = Extract<Step, { does: 'COPY' }>;

/** Does the steps of a Dockerfile in order, each stage in a separate folder that stands for `/`. */
export class Build {
  /** Folder of each started stage, by name. */
  private readonly roots = new Map<string, string>();
  private readonly isIgnored: (path: string) => boolean;

  /**
   * @param context the folder that Docker would be given
   * @param folder an empty one for the stages
   */
  constructor(
    private readonly context: string,
    private readonly folder: string,
  ) {
    const ignore = ignoring.default().add(readFileSync(join(context, '.dockerignore'), 'utf8'));
    this.isIgnored = (path) => path !== '' && ignore.ignores(path);
  }

  /** @returns the folder in which the image's command is run */
  async run(stage: Stage): Promise<string> {
    const root = join(this.folder, `stage-${this.roots.size}`);
    mkdirSync(root);
    this.roots.set(stage.name, root);
    let directory = root;
    for (const step of stage.steps) {
      if (step.does === 'WORKDIR') mkdirSync((directory = inside(root, step.path)), { recursive: true });
      else if (step.does === 'COPY') this.copy(step, directory);
      else await runCommand(step.command, directory, { ...this.environment(), ...stage.env });
    }
    return directory;
  }

  private copy({ from, sources, target }: Copy, directory: string): void {
    for (const source of sources) {
      const path = this.sourceOf(source, from);
      const to = resolve(directory, target);
      // As Docker does it: of a folder its content is copied, and a file goes into what ends with a slash.
      const place = statSync(path).isFile() && target.endsWith('/') ? join(to, basename(path)) : to;
      const ofContext = from === undefined;
      const filter = (file: string): boolean => !ofContext || !this.isIgnored(relative(this.context, file));
      cpSync(path, place, { recursive: true, verbatimSymlinks: true, filter });
    }
  }

  private sourceOf(source: string, from: string | undefined): string {
    const root = from === undefined ? this.context : this.roots.get(from);
    if (root === undefined) throw new Error(`COPY --from=${from}: there is no such stage.`);
    const path = from === undefined ? join(root, source) : inside(root, source);
    if (!existsSync(path)) throw new Error(`COPY ${source}: not found.`);
    if (from === undefined && this.isIgnored(source)) throw new Error(`COPY ${source}: .dockerignore leaves it out.`);
    return path;
  }

  private environment(): NodeJS.ProcessEnv {
    const kept = Object.entries(process.env).filter(([name]) => OF_THE_MACHINE.test(name));
    const env = { ...Object.fromEntries(kept), npm_config_prefer_offline: 'true', npm_config_update_notifier: 'false' };
    return RUNS_AS_ROOT ? env : { ...env, PATH: `${this.withoutChown()}:${process.env.PATH}` };
  }

  /** Replaces chown by a no-op: without root it fails, and the image's command runs as the same user anyway. */
  private withoutChown(): string {
    const folder = join(this.folder, 'bin');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'chown'), '#!/bin/sh\n');
    chmodSync(join(folder, 'chown'), 0o755);
    return folder;
  }
}

/** A path of the image as one of the machine. */
function inside(root: string, path: string): string {
  return join(root, resolve('/', path));
}

async function runCommand(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { code, output } = await ended(spawn('/bin/sh', ['-c', command], { cwd, env }));
  if (code !== 0) throw new Error(`RUN ${command}: ended with ${code}: ${output}`);
}
