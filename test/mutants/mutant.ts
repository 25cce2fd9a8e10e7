import type { FaultProfile } from './fault-profiles.js';

/** One place of the source that a mutant changes. `from` stands in the file exactly once. */
export interface Patch {
  /** From the project's folder on. */
  file: string;
  from: string;
  to: string;
}

/** A version of the service with one defect, which the tests must find. */
export interface Mutant {
  name: string;
  /** What the defect is, in a sentence. */
  breaks: string;
  patches: readonly Patch[];
  /** The e2e specs that are asked first and last: the others could not see it, or see it too. */
  e2e?: readonly string[];
  /** How real processes are harmed so that it shows. */
  faults?: FaultProfile;
}

/** A patch does not fit the source any more: the table has to follow it. */
export class PatchError extends Error {}

/** @throws PatchError naming the mutant and the file, unless `from` stands in the text exactly once and is changed */
export function applyPatch(text: string, { file, from, to }: Patch, mutant: string): string {
  const found = text.split(from).length - 1;
  const fault = (what: string): PatchError => new PatchError(`Mutant "${mutant}": in ${file}, ${what}:\n${from}`);
  if (found !== 1) throw fault(`this stands ${found} times and must stand there once`);
  if (from === to) throw fault('this is replaced by itself');
  // A function, because `$` means something in a replacement text.
  return text.replace(from, () => to);
}

/** The files that a mutant changes, with their new text; several patches of one file follow each other. */
export function mutate(mutant: Mutant, read: (file: string) => string): Map<string, string> {
  const changed = new Map<string, string>();
  for (const patch of mutant.patches) {
    const text = changed.get(patch.file) ?? read(patch.file);
    changed.set(patch.file, applyPatch(text, patch, mutant.name));
  }
  return changed;
}
