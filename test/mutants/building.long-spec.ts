import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import ts from 'typescript';
import { mutate } from './mutant.js';
import { MUTANTS } from './mutants.js';

const CONFIG = 'tsconfig.build.json';
/** The first of them reads all sources. */
const LONG_MS = 600_000;

/** The service's sources, with some of them changed for a while. */
class Sources {
  private readonly changed = new Map<string, string>();
  private version = 0;
  private readonly service: ts.LanguageService;
  private readonly files: ReadonlySet<string>;

  constructor() {
    const { fileNames, options } = ts.parseJsonConfigFileContent(
      ts.readConfigFile(CONFIG, (path) => readFileSync(path, 'utf8')).config,
      ts.sys,
      process.cwd(),
    );
    this.files = new Set(fileNames);
    this.service = ts.createLanguageService({
      fileExists: (path) => ts.sys.fileExists(path),
      readFile: (path) => ts.sys.readFile(path),
      readDirectory: (...of) => ts.sys.readDirectory(...of),
      directoryExists: (path) => ts.sys.directoryExists(path),
      getDirectories: (path) => ts.sys.getDirectories(path),
      getCompilationSettings: () => ({ ...options, noEmit: true, incremental: false }),
      getScriptFileNames: () => fileNames,
      getScriptVersion: (path) => (this.changed.has(path) ? `changed ${this.version}` : 'as it is'),
      getScriptSnapshot: (path) => {
        const text = this.changed.get(path) ?? ts.sys.readFile(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => process.cwd(),
      getDefaultLibFileName: ts.getDefaultLibFilePath,
    });
  }

  /** What the compiler has against these files with these texts. */
  faultsWith(texts: ReadonlyMap<string, string>): string[] {
    this.version++;
    const paths = [...texts.keys()].map((file) => resolve(file)).filter((path) => this.files.has(path));
    for (const [file, text] of texts) this.changed.set(resolve(file), text);
    const faults = paths.flatMap((path) => [
      ...this.service.getSyntacticDiagnostics(path),
      ...this.service.getSemanticDiagnostics(path),
    ]);
    this.changed.clear();
    return faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
  }
}

let sources: Sources;
beforeAll(() => {
  sources = new Sources();
});

it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
  'builds: %s',
  (_, mutant) => {
    const texts = mutate(mutant, (file) => readFileSync(file, 'utf8'));
    expect(texts.size).toBeGreaterThan(0);
    expect(sources.faultsWith(texts)).toEqual([]);
  },
  LONG_MS,
);
