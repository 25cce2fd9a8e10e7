/** A change of the source. `from` occurs exactly once in the file. */
export interface Patch {
  /** Path from the project's folder. */
  file: string;
  from: string;
  to: string;
}

/** A version of the service with one defect. */
export interface Mutant {
  name: string;
  /** The harm of the defect, in a sentence. */
  breaks: string;
  /** The unit spec that must find it. */
  spec: string;
  patches: readonly Patch[];
}

/**
 * @param read returns the unchanged text of a file
 * @returns the changed files with their new text; several patches of one file are applied in order
 * @throws Error naming the mutant and the file, unless `from` occurs exactly once and is changed
 */
export function mutate({ name, patches }: Mutant, read: (file: string) => string): Map<string, string> {
  const changed = new Map<string, string>();
  for (const { file, from, to } of patches) {
    const text = changed.get(file) ?? read(file);
    const found = text.split(from).length - 1;
    if (found !== 1 || from === to)
      throw new Error(`"${name}" does not fit ${file}, where this stands ${found} times: ${from}`);
    // A function, because `$` is special in a replacement text.
    changed.set(
      file,
      text.replace(from, () => to),
    );
  }
  return changed;
}
