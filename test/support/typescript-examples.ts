import { resolve } from 'node:path';
import ts from 'typescript';

/** What node runs of an example in a page. */
export function asJavaScript(source: string): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  return ts.transpileModule(source, { compilerOptions }).outputText;
}

/** What the compiler says against examples that use the client, as the project's own settings have it. */
export function faultsOfTypes(examples: readonly string[]): string[] {
  const path = resolve('clients/typescript/src/example.ts');
  const { config } = ts.readConfigFile('tsconfig.json', (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
  const host = ts.createCompilerHost(options);
  const read = host.readFile.bind(host);
  return examples.flatMap((example) => {
    host.readFile = (file) => (file === path ? example : read(file));
    host.fileExists = (file) => file === path || ts.sys.fileExists(file);
    const program = ts.createProgram([path], { ...options, types: ['node'] }, host);
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
  });
}
