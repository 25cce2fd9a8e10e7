import type { Verdict } from './judgement.js';
import { build, type Built, type Ground, type Layer, layerRun, type LayerRun, runLayer } from './layers.js';
import type { Mutant } from './mutant.js';

/** One run of a layer and what came of it. */
export interface Result {
  run: LayerRun;
  verdict: Verdict;
  seconds: number;
}

/** What became of a mutant: it did not even build, or what each layer said of it. */
export type Trial = { mutant: Mutant; invalid: string } | { mutant: Mutant; results: readonly Result[] };

type Tell = (line: string) => void;

/** A copy of the project in which layers run. */
class Stand {
  private readonly built = new Set<Built>();

  constructor(private readonly ground: Ground) {}

  /** @returns the verdict, or what the compiler says instead */
  async run(run: LayerRun): Promise<Result | { invalid: string }> {
    for (const what of ['service', run.needs] as const) {
      if (this.built.has(what)) continue;
      const invalid = await build(what, this.ground.folder);
      if (invalid !== undefined) return { invalid };
      this.built.add(what);
    }
    const began = performance.now();
    const verdict = await runLayer(run, this.ground);
    return { run, verdict, seconds: Math.round((performance.now() - began) / 1_000) };
  }
}

/** Runs layers over mutants, until one catches them. */
export class Trier {
  private readonly sound: Stand;
  /** The commands that pass over the sound sources. */
  private readonly passed = new Set<string>();

  /** @param soundGround where the sources are as they should be @param ground where they are those of the mutant */
  constructor(
    soundGround: Ground,
    private readonly ground: Ground,
    private readonly tell: Tell,
  ) {
    this.sound = new Stand(soundGround);
  }

  /** @param goOn whether the layers after one that caught it run too */
  async try(mutant: Mutant, layers: readonly Layer[], goOn: boolean): Promise<Trial> {
    const stand = new Stand(this.ground);
    const results: Result[] = [];
    for (const run of layers.map((layer) => layerRun(layer, mutant))) {
      await this.mustPass(run);
      const result = await stand.run(run);
      if ('invalid' in result) {
        this.tell(`  INVALID, it does not build: ${result.invalid}`);
        return { mutant, invalid: result.invalid };
      }
      this.tell(`  ${sentenceOf(result)}`);
      results.push(result);
      if (result.verdict.kind === 'caught' && !goOn) break;
    }
    return { mutant, results };
  }

  /** Only what passes over the sound sources says something when it fails. @throws when it does not pass */
  async mustPass(run: LayerRun): Promise<void> {
    const command = run.words.join(' ');
    if (this.passed.has(command)) return;
    const result = await this.sound.run(run);
    const sentence = 'invalid' in result ? result.invalid : sentenceOf(result);
    this.tell(`  sound sources: ${sentence}`);
    if ('invalid' in result || result.verdict.kind !== 'passed') throw new SoundError(sentence);
    this.passed.add(command);
  }
}

/** The sources as they are do not pass, so nothing can be said of mutants. */
export class SoundError extends Error {}

function sentenceOf({ run, verdict, seconds }: Result): string {
  const what = `${run.layer} (${run.what}), ${seconds} s`;
  if (verdict.kind === 'caught') return `${what}: caught by ${verdict.by[0]}`;
  return verdict.kind === 'passed' ? `${what}: nothing found` : `${what}: UNCLEAR: ${verdict.why}`;
}
