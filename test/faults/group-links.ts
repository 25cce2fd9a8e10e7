/** An asset as somebody was shown it: its place in the pool, its instant in microseconds, and the number of its lot, 0 for none. */
export interface ShownLink {
  place: number;
  us: number;
  lot: number;
}

/** Assets that were to be linked to one lot as one. */
interface Group {
  /** Their places in the pool, in the order sent. */
  members: readonly number[];
  /** The instant of the first of them, once anybody was shown one; those of the others follow. */
  firstUs: number | undefined;
  isAcknowledged: boolean;
  /** How many of its changes the histories have. */
  kept: number;
}

const MOST_VIOLATIONS = 20;

/** Every group that was sent, each with a lot of its own, and what was seen of it: all of it at consecutive instants, or nothing. */
export class GroupLinks {
  readonly violations: string[] = [];
  acknowledged = 0;
  /** Changes of assets that were acknowledged. */
  changes = 0;
  private readonly groups: Group[] = [];

  get sent(): number {
    return this.groups.length;
  }

  broken(sentence: string): void {
    if (this.violations.length < MOST_VIOLATIONS) this.violations.push(sentence);
  }

  /** @param members in the order in which they are sent @returns the number of their lot */
  begin(members: readonly number[]): number {
    return this.groups.push({ members, firstUs: undefined, isAcknowledged: false, kept: 0 });
  }

  /** @param answered all of its assets, in the order of the answer */
  acknowledge(lot: number, answered: readonly ShownLink[]): void {
    const group = this.groups[lot - 1] as Group;
    this.acknowledged += 1;
    this.changes += answered.length;
    group.isAcknowledged = true;
    const places = answered.map(({ place }) => place);
    if (places.join() !== group.members.join())
      this.broken(`the answer to group ${lot} has other assets than were sent`);
    for (const link of answered) {
      if (link.lot !== lot) this.broken(`the answer to group ${lot} shows ${link.place} in lot ${link.lot}`);
      else this.noteInstant('the answer', link);
    }
  }

  /** @param known what one reader knows of the assets of the pool, by their places, all of one moment */
  checkMoment(reader: string, known: readonly (ShownLink | undefined)[]): void {
    const lots = new Set<number>();
    for (const link of known) {
      if (link === undefined || link.lot === 0) continue;
      if (this.noteInstant(reader, link)) lots.add(link.lot);
    }
    for (const lot of lots) {
      const { members, firstUs = 0 } = this.groups[lot - 1] as Group;
      const missing = members.filter((place, i) => (known[place]?.us ?? 0) < firstUs + i);
      if (missing.length > 0)
        this.broken(`half: ${reader} was shown group ${lot} without ${missing.length} of its ${members.length} assets`);
    }
  }

  /** @param states of the histories, each given once */
  keep(states: readonly ShownLink[]): void {
    for (const state of states) {
      if (state.lot === 0) continue;
      if (this.noteInstant('the history', state)) (this.groups[state.lot - 1] as Group).kept += 1;
    }
  }

  /** When nobody writes and `keep` was given all there is. */
  checkKept(): void {
    for (const [i, { members, isAcknowledged, kept }] of this.groups.entries()) {
      if (isAcknowledged && kept === 0) this.broken(`lost: group ${i + 1} was acknowledged`);
      else if (kept !== 0 && kept !== members.length)
        this.broken(`half: the histories have ${kept} of the ${members.length} assets of group ${i + 1}`);
    }
  }

  /** @returns whether the asset belongs to that group, at that instant */
  private noteInstant(reader: string, { place, us, lot }: ShownLink): boolean {
    const group = this.groups[lot - 1];
    const index = group?.members.indexOf(place) ?? -1;
    if (group === undefined || index === -1) {
      this.broken(`${reader} shows asset ${place} in lot ${lot}, which nobody sent it to`);
      return false;
    }
    group.firstUs ??= us - index;
    if (us === group.firstUs + index) return true;
    this.broken(`${reader} shows asset ${place} of group ${lot} at ${us}, and the group began at ${group.firstUs}`);
    return false;
  }
}
