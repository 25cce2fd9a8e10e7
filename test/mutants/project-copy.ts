import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { type Mutant, mutate } from './mutant.js';

const COPIED = [
  'src',
  'test',
  'bench',
  'docs',
  'scripts',
  'clients',
  'openapi.json',
  'package.json',
  '.npmrc',
  'jest.config.js',
  'ormconfig.ts',
  'tsconfig.json',
  'tsconfig.build.json',
  'tsconfig.tools.json',
];

/** The project in a folder of its own, where sources may be spoiled. */
export class ProjectCopy {
  readonly folder = mkdtempSync(join(tmpdir(), 'registry-mutants-'));
  private readonly exit = cleanUpAtExit(() => removeFolder(this.folder));

  /** @param from the project's folder */
  constructor(from: string) {
    for (const name of COPIED) cpSync(join(from, name), join(this.folder, name), { recursive: true });
    symlinkSync(resolvePath(from, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /** Patches the sources. @returns what puts them back @throws PatchError */
  apply(mutant: Mutant): () => void {
    const sound = new Map<string, string>();
    const changed = mutate(mutant, (file) => {
      const text = readFileSync(join(this.folder, file), 'utf8');
      sound.set(file, text);
      return text;
    });
    this.write(changed);
    return () => this.write(sound);
  }

  private write(files: ReadonlyMap<string, string>): void {
    for (const [file, text] of files) writeFileSync(join(this.folder, file), text);
  }

  remove(): void {
    removeFolder(this.folder);
    this.exit.revoke();
  }
}
