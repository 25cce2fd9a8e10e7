/** One step of executing a page; `line` is its line number. */
export type Step =
  | { does: 'write'; line: number; path: string; text: string }
  | { does: 'run'; line: number; command: string; expected: string }
  | { does: 'script' | 'program' | 'configure' | 'query'; line: number; text: string };

const FENCE = /^```([\w-]*)$/;
/** Other fences of Markdown: indented, with tildes, or with more than a language. */
const ANY_FENCE = /^\s*(?:```|~~~)/;
/** A file's block follows a paragraph that ends with the file's name. */
const NAMED_FILE = /`([\w./-]+\.\w+|Dockerfile)`[^`]*:$/;
/** How to execute a block by its language, unless a file is named before it. */
const BY_LANGUAGE: Readonly<Record<string, 'script' | 'program' | 'configure' | 'query'>> = {
  sh: 'script',
  ts: 'program',
  ini: 'configure',
  sql: 'query',
};

/**
 * Parses the blocks of a page, in order. A `console` block has commands after `$`, each followed by its output. Any other block is the file that
 * the paragraph before it names at its end ("... in `path`:"), or else is executed by its language.
 * @throws Error for a block without a known meaning
 */
export function readPage(markdown: string): Step[] {
  const steps: Step[] = [];
  const lines = markdown.split('\n');
  let before = '';
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    const language = FENCE.exec(line)?.[1];
    if (language === undefined) {
      if (ANY_FENCE.test(line)) throw new Error(`The fence in line ${i + 1} is not supported`);
      if (line !== '') before = line;
      continue;
    }
    const end = lines.indexOf('```', i + 1);
    if (end < 0) throw new Error(`The block in line ${i + 1} has no end`);
    const block = lines.slice(i + 1, end);
    steps.push(...(language === 'console' ? commandsIn(block, i + 2) : [blockOf(language, block, before, i + 1)]));
    i = end;
  }
  return steps;
}

/** The title of a step's test. */
export function titleOf(step: Step): string {
  if (step.does === 'write') return `line ${step.line}: ${step.path}`;
  return `line ${step.line}: ${step.does === 'run' ? step.command : step.does}`;
}

function blockOf(language: string, block: readonly string[], before: string, line: number): Step {
  const text = `${block.join('\n')}\n`;
  const path = NAMED_FILE.exec(before)?.[1];
  if (path !== undefined) return { does: 'write', line, path, text };
  const does = BY_LANGUAGE[language];
  if (does === undefined) throw new Error(`The block in line ${line} is no console, and no file is named before it`);
  return { does, line, text };
}

function commandsIn(block: readonly string[], firstLine: number): Step[] {
  const steps: { does: 'run'; line: number; command: string; expected: string }[] = [];
  let continued = false;
  block.forEach((line, index) => {
    const last = steps.at(-1);
    if (line.startsWith('$ '))
      steps.push({ does: 'run', line: firstLine + index, command: line.slice(2), expected: '' });
    else if (last === undefined) throw new Error(`Line ${firstLine + index} is output before any command`);
    else if (continued) last.command += `\n${line}`;
    else last.expected += `${line}\n`;
    continued = (line.startsWith('$ ') || continued) && line.endsWith('\\');
  });
  return steps;
}
