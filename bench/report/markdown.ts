/** Lines of cells as Markdown; the first column is text, the others are numbers. */
export function tableOf(head: readonly string[], lines: readonly string[][]): string {
  const rule = head.map((_, i) => (i === 0 ? '---' : '--:'));
  return [head, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
