import { Chance } from './chance.js';
import type { Story } from './stories.js';

/** One request of a story: `change` -1 creates the asset, 0 is its first change. */
interface Turn {
  story: number;
  change: number;
}

const SEED = 1_723;
/** Between two requests of a story this many other stories begin at most. */
const LONGEST_GAP = 60;

/** All requests of all stories as if they came over months: each story's in its order, and those of others between them. */
export function inTurn(stories: readonly Story[]): Turn[] {
  const chance = new Chance(SEED);
  const turns = stories.flatMap(({ changes }, story) => {
    let at = story;
    return Array.from({ length: changes.length + 1 }, (_, index) => {
      if (index > 0) at += chance.next() * LONGEST_GAP;
      return { at, story, change: index - 1 };
    });
  });
  return turns.sort((one, other) => one.at - other.at).map(({ story, change }) => ({ story, change }));
}
