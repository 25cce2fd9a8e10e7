import { beforeEach, describe, expect, it } from '@jest/globals';
import { GroupLinks, type ShownLink } from './group-links.js';

const UNLINKED: ShownLink[] = [0, 1, 2, 3].map((place) => ({ place, us: 10 + place, lot: 0 }));

/** What all know once the assets 2, 0 and 3 were linked as one, at the instants 100 to 102. */
const LINKS: ShownLink[] = [2, 0, 3].map((place, i) => ({ place, us: 100 + i, lot: 1 }));
const LINKED = UNLINKED.map((link) => LINKS.find(({ place }) => place === link.place) ?? link);

const spoilt = (links: readonly ShownLink[], place: number, other: Partial<ShownLink>): ShownLink[] =>
  links.map((link) => (link.place === place ? { ...link, ...other } : link));

describe('groups of assets that were linked as one', () => {
  let links: GroupLinks;

  beforeEach(() => {
    links = new GroupLinks();
    expect(links.begin([2, 0, 3])).toBe(1);
  });

  it('are in order while nothing of them, and when all of them is shown, answered and kept', () => {
    links.checkMoment('a page', UNLINKED);
    links.checkKept();
    links.acknowledge(1, LINKS);
    links.checkMoment('a page', LINKED);
    links.keep([...UNLINKED, ...LINKS]);
    links.checkKept();
    expect([links.violations, links.acknowledged, links.changes]).toEqual([[], 1, 3]);
  });

  it('may have assets that went on to another group', () => {
    expect(links.begin([0])).toBe(2);
    links.checkMoment('a page', spoilt(LINKED, 0, { us: 200, lot: 2 }));
    expect(links.violations).toEqual([]);
  });

  it.each<[string, (links: GroupLinks) => void, RegExp]>([
    [
      'a page shows by half',
      (all) => all.checkMoment('a page', spoilt(LINKED, 0, UNLINKED[0] as ShownLink)),
      /^half: a page was shown group 1 without 1 of its 3/,
    ],
    [
      'a copy has not heard of one of',
      (all) => all.checkMoment('a copy', LINKED.with(3, undefined as unknown as ShownLink)),
      /^half: a copy/,
    ],
    [
      'the histories have by half',
      (all) => [all.keep(LINKS.slice(1)), all.checkKept()],
      /^half: the histories have 2 of the 3/,
    ],
    ['was acknowledged and is not kept', (all) => [all.acknowledge(1, LINKS), all.checkKept()], /^lost: group 1/],
    [
      'has instants that are not consecutive',
      (all) => all.acknowledge(1, spoilt(LINKS, 3, { us: 103 })),
      /at 103, and the group began at 100/,
    ],
    [
      'is kept at other instants than were answered',
      (all) => [all.acknowledge(1, LINKS), all.keep(spoilt(LINKS, 2, { us: 99 }))],
      /the history shows asset 2 of group 1 at 99/,
    ],
    ['is answered in another order', (all) => all.acknowledge(1, LINKS.toReversed()), /other assets than were sent/],
    ['is answered with another lot', (all) => all.acknowledge(1, spoilt(LINKS, 0, { lot: 7 })), /shows 0 in lot 7/],
    [
      'has an asset that was not sent',
      (all) => all.checkMoment('a page', spoilt(LINKED, 1, { us: 103, lot: 1 })),
      /asset 1 in lot 1, which nobody sent it to/,
    ],
  ])('are told when one %s', (_, spoil, violation) => {
    spoil(links);
    expect(links.violations.join('\n')).toMatch(violation);
  });
});
