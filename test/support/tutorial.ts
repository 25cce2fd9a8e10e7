/** One block of a page that tells a reader what to do. */
export type Step =
  | { does: 'write'; line: number; path: string; text: string }
  | { does: 'run'; line: number; command: string; told: string };

const FENCE = /^```(\w*)$/;
/** The text before a file ends with the name of the file. */
const NAMED_FILE = /`([\w./-]+\.\w+|Dockerfile)`[^`]*:$/;

/**
 * The blocks of a page in their order. `console` has commands after `$` and below each what it tells; any other block is a file, which the
 * paragraph before it names at its end: "... in `path`:".
 * @throws Error for a block that is neither
 */
export function readTutorial(markdown: string): Step[] {
  const steps: Step[] = [];
  const lines = markdown.split('\n');
  let before = '';
  for (let i = 0; i < lines.length; i++) {
    const language = FENCE.exec(lines[i] as string)?.[1];
    if (language === undefined) {
      if (lines[i] !== '') before = lines[i] as string;
      continue;
    }
    const end = lines.indexOf('```', i + 1);
    const block = lines.slice(i + 1, end);
    if (language === 'console') steps.push(...commandsIn(block, i + 2));
    else steps.push(fileOf(block, before, i + 1));
    i = end;
  }
  return steps;
}

function fileOf(block: readonly string[], before: string, line: number): Step {
  const path = NAMED_FILE.exec(before)?.[1];
  if (path === undefined) throw new Error(`The block in line ${line} is no console, and no file is named before it`);
  return { does: 'write', line, path, text: `${block.join('\n')}\n` };
}

function commandsIn(block: readonly string[], firstLine: number): Step[] {
  const steps: { does: 'run'; line: number; command: string; told: string }[] = [];
  let continued = false;
  block.forEach((line, index) => {
    const last = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ does: 'run', line: firstLine + index, command: line.slice(2), told: '' });
    else if (last === undefined) throw new Error(`Line ${firstLine + index} tells something before there is a command`);
    else if (continued) last.command += `\n${line}`;
    else last.told += `${line}\n`;
    continued = (line.startsWith('$ ') || continued) && line.endsWith('\\');
  });
  return steps;
}

/** What differs from run to run. */
const VOLATILE: [RegExp, string][] = [
  [/\b[0-9a-f]{32}\b/g, 'HEX'],
  [/\bUA-\d{4}-\d{2}-\d{2}-\d{6}\b/g, 'UA-DAY-NUMBER'],
  [/\b\d{4}-\d{2}-\d{2}T\d{2}(:|%3A)\d{2}\1\d{2}\.\d{6}(\+|%2B)\d{2}\1\d{2}/g, 'INSTANT'],
];

function masked(text: string): string {
  return VOLATILE.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name), text.trimEnd());
}

/** Whether a command told what the page says: `...` stands for lines or a part of a line, and what is volatile may differ. */
export function isAsTold(actual: string, told: string): boolean {
  const lines = masked(told).split('\n');
  const patterns = lines.map((line) =>
    line.trim() === '...' ? '(?:.*\n)*?' : `${line.split('...').map(escaped).join('.*')}\n`,
  );
  return new RegExp(`^${patterns.join('')}$`).test(`${masked(actual)}\n`);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
