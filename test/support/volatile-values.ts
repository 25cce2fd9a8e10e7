/** Values that differ from run to run: ids, tokens, assetIDs, instants, ids of keys and requests, keys, ETags. */
const VOLATILE: readonly string[] = [
  String.raw`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`,
  String.raw`\b[0-9a-f]{32}\b`,
  String.raw`\bUA-\d{4}-\d{2}-\d{2}-\d{6}\b`,
  String.raw`\b\d{4}-\d{2}-\d{2}T\d{2}(?::\d{2}){2}\.\d{6}\+\d{2}:\d{2}`,
  String.raw`\b\d{4}-\d{2}-\d{2}T\d{2}(?:%3A\d{2}){2}\.\d{6}%2B\d{2}%3A\d{2}`,
  String.raw`\bark_\w{20,}\b`,
  String.raw`(?<=\b[Kk]ey )[0-9a-f]{12}\b`,
  String.raw`(?<=ETag: )"[0-9a-z.-]+"`,
];
/** One group for each kind. */
const ANY_VOLATILE = new RegExp(VOLATILE.map((kind) => `(${kind})`).join('|'), 'g');

/**
 * Compares a page's output with the actual output. A volatile value on the page stands for one actual value, the same everywhere on the page, in
 * output and in commands.
 */
export class VolatileValues {
  private readonly actual = new Map<string, string>();

  /** Replaces the page's values by those of this run. */
  inThisRun(text: string): string {
    return [...this.actual].reduce((rest, [shown, value]) => rest.replaceAll(shown, value), text);
  }

  /**
   * Whether the actual output matches the page: `...` stands for any lines or a part of a line, and volatile values may differ consistently. Values
   * learnt here apply to the rest of the page.
   * @param actual trailing whitespace is ignored
   */
  matches(actual: string, expected: string): boolean {
    const shown: string[] = [];
    const patterns = expected
      .trimEnd()
      .split('\n')
      .map((line) => (line.trim() === '...' ? '(?:.*\n)*?' : `${this.patternOf(line, shown)}\n`));
    const found = new RegExp(`^${patterns.join('')}$`).exec(`${actual.trimEnd()}\n`);
    return found !== null && this.learn(shown, found.slice(1));
  }

  /** @param shown collects the page's value for each group of the pattern */
  private patternOf(line: string, shown: string[]): string {
    const literal = (text: string): string => text.split('...').map(escaped).join('.*');
    let pattern = '';
    let from = 0;
    for (const found of line.matchAll(ANY_VOLATILE)) {
      const { index } = found;
      const [value, ...kinds] = found;
      pattern += `${literal(line.slice(from, index))}(${VOLATILE[kinds.findIndex((kind) => kind !== undefined)]})`;
      shown.push(value);
      from = index + value.length;
    }
    return pattern + literal(line.slice(from));
  }

  /** @returns false if the page has one value for two actual ones, or two for one */
  private learn(shown: readonly string[], values: readonly string[]): boolean {
    const learnt = new Map(this.actual);
    for (const [i, value] of values.entries()) {
      const name = shown[i] as string;
      for (const form of [String, encodeURIComponent, decodeURIComponent]) {
        const known = learnt.get(form(name));
        if (known !== undefined && known !== form(value)) return false;
        learnt.set(form(name), form(value));
      }
    }
    if (new Set(learnt.values()).size < learnt.size) return false;
    for (const [name, value] of learnt) this.actual.set(name, value);
    return true;
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
