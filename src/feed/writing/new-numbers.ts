import type { Dated, Drafted } from './decide.js';
import type { DayNumbers, LedgerTransaction } from './ledger-store.js';

interface Numbering {
  /** The local day under which an asset created at an instant is numbered. */
  dayOf(us: number): string;
  /** The assetID of the `number`th asset of a day. */
  assetIdOf(day: string, number: number): string;
}

/** Numbers that were taken, up to the last of them. */
export interface TakenNumbers extends DayNumbers {
  last: number;
}

/**
 * The numbers that a batch asks for together with its instants: of the candidate's day, which is nearly always theirs.
 * @returns undefined where nothing is created
 */
export function numbersFor(
  drafted: readonly Drafted[],
  candidateUs: number,
  numbering: Pick<Numbering, 'dayOf'>,
): DayNumbers | undefined {
  const count = drafted.filter(({ current }) => current === undefined).length;
  return count === 0 ? undefined : { day: numbering.dayOf(candidateUs), count };
}

/**
 * The assetIDs of the new assets, by their place in the batch. A batch may run over midnight, the feed's clock may be ahead of it, and some
 * for whom numbers were taken may not be written any more.
 * @param taken all that this transaction has taken by `numbersFor`; as it holds the clock, those of a day follow each other
 */
export async function numberNewAssets(
  dated: readonly Dated[],
  taken: readonly TakenNumbers[],
  transaction: Pick<LedgerTransaction, 'takeNumbers' | 'returnNumbers'>,
  numbering: Numbering,
): Promise<Map<number, string>> {
  const placesByDay = placesOfNew(dated, (us) => numbering.dayOf(us));
  const days = new Set([...taken.map(({ day }) => day), ...placesByDay.keys()]);
  const assetIds = new Map<number, string>();
  for (const day of days) {
    const places = placesByDay.get(day) ?? [];
    const ofDay = taken.filter((numbers) => numbers.day === day);
    const last = await settleDay({ day, count: places.length }, ofDay, transaction);
    places.forEach((place, i) => assetIds.set(place, numbering.assetIdOf(day, last - places.length + 1 + i)));
  }
  return assetIds;
}

/** Takes what lacks, or gives back what is too much, so that no number is left out. @returns the last of the numbers that are needed */
async function settleDay(
  { day, count }: DayNumbers,
  taken: readonly TakenNumbers[],
  transaction: Pick<LedgerTransaction, 'takeNumbers' | 'returnNumbers'>,
): Promise<number> {
  const spare = taken.reduce((sum, numbers) => sum + numbers.count, 0) - count;
  if (spare < 0) return transaction.takeNumbers({ day, count: -spare });
  if (spare > 0) await transaction.returnNumbers({ day, count: spare });
  return (taken.at(-1) as TakenNumbers).last - spare;
}

function placesOfNew(dated: readonly Dated[], dayOf: (us: number) => string): Map<string, number[]> {
  const placesByDay = new Map<string, number[]>();
  dated.forEach(({ current, us }, i) => {
    if (current !== undefined) return;
    const day = dayOf(us);
    placesByDay.set(day, [...(placesByDay.get(day) ?? []), i]);
  });
  return placesByDay;
}
