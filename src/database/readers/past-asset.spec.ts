import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { logger } from '../../platform/logging/logger.js';
import { EncodedText } from '../../platform/text/encoded-text.js';
import { toReadAsset } from './asset-row.js';
import { bodyDelta } from './body-delta.js';
import {
  type EndedStateRow,
  type StoredState,
  type PastAsset,
  pastAsset,
  type PresentRow,
  stateBefore,
} from './past-asset.js';

/** Bodies of versions 1 to n. */
const BODIES = ['{"a":"дім"}', '{"a":"двір","b":"🏡"}', '{"a":"двір","b":"🏢"}', '{}'];
const NOW = BODIES.length;
const us = (version: number): number => version * 10;
const bodyOf = (version: number): string => BODIES[version - 1] as string;

/** The current state as MariaDB's driver returns it. */
const present = (differing: Partial<PresentRow> = {}): PresentRow => ({
  id: 'a',
  assetId: 'UA-1',
  assetType: 'basic',
  status: `state ${NOW}`,
  owner: 'o',
  relatedLot: null,
  body: Buffer.from(bodyOf(NOW)),
  createdUs: '10',
  modifiedUs: String(us(NOW)),
  version: NOW,
  hasPredecessor: 1,
  listed: 1,
  ...differing,
});

const ended = (version: number, differing: Partial<EndedStateRow> = {}): EndedStateRow => {
  const { body, sameStart, sameEnd, checksum } = bodyDelta(bodyOf(version), bodyOf(version + 1), version);
  return {
    version,
    modifiedUs: String(us(version)),
    untilUs: String(us(version + 1)),
    status: `state ${version}`,
    relatedLot: version === 2 ? 'lot' : null,
    owner: null,
    body: Buffer.from(body),
    sameStart,
    sameEnd,
    checksum,
    hasPredecessor: version === 1 ? 0 : 1,
    ...differing,
  };
};

const shown = ({ asset, missingUs }: PastAsset) => ({
  missingUs,
  status: asset?.status,
  body: asset?.body.toString(),
});
const known = (version: number) => ({
  missingUs: undefined,
  status: `state ${version}`,
  body: bodyOf(version),
});
const UNKNOWN = { missingUs: undefined, status: undefined, body: undefined };
const missing = (version: number) => ({ ...UNKNOWN, missingUs: us(version) });

const logged = jest.spyOn(logger, 'error').mockImplementation(() => undefined);
afterEach(() => void logged.mockClear());

describe('a past asset', () => {
  it.each([1, 2, 3])('in version %d is restored from all later ones, whatever the order of the rows', (version) => {
    const rows = [1, 2, 3].filter((other) => other >= version).map((other) => ended(other));
    expect(shown(pastAsset(us(version), present(), rows))).toEqual(known(version));
    expect(shown(pastAsset(us(version) + 9, present(), rows.toReversed()))).toEqual(known(version));
  });

  it('has its own state, lot and instant, and the constant columns of the asset', () => {
    expect(pastAsset(us(2), present(), [ended(2), ended(3)]).asset).toMatchObject({
      id: 'a',
      assetId: 'UA-1',
      status: 'state 2',
      relatedLot: 'lot',
      createdUs: 10,
      modifiedUs: us(2),
    });
  });

  it('is restored only up to the first whole body', () => {
    const whole = ended(2, { body: Buffer.from(bodyOf(2)), sameStart: 0, sameEnd: 0 });
    expect(shown(pastAsset(us(1), present(), [ended(1), whole]))).toEqual(known(1));
    expect(shown(pastAsset(us(2), present(), [whole]))).toEqual(known(2));
  });

  it('is the current state since the last change', () => {
    for (const rows of [[], [ended(3)]]) expect(shown(pastAsset(us(NOW), present(), rows))).toEqual(known(NOW));
  });

  it('is unknown if a later body was edited in the database', () => {
    const altered = ended(3, { body: Buffer.from('"a":"removed","b":"🏢"') });
    for (const version of [2, 3]) {
      const rows = [ended(2), altered].slice(version - 2);
      expect(shown(pastAsset(us(version), present(), rows))).toEqual(UNKNOWN);
    }
    expect(shown(pastAsset(us(NOW), present(), [altered]))).toEqual(known(NOW));
  });

  it('is logged if its checksum does not match, with the asset, the instant and the page of the documentation', () => {
    const altered = ended(3, { body: Buffer.from('"a":"removed"') });
    pastAsset(us(3) + 5, present(), [altered]);
    expect(logged.mock.calls).toEqual([
      [
        { asset: 'a', version: 3, modifiedUs: us(3) },
        expect.stringMatching(/checksum.*404.*docs\/operations\/troubleshooting\.md/),
      ],
    ]);
  });

  it('is not logged if its checksum matches, or if it is unknown', () => {
    pastAsset(us(2), present(), [ended(2), ended(3)]);
    pastAsset(us(2), present(), [ended(3)]);
    pastAsset(us(1), present(), [ended(1), ended(3)]);
    expect(logged).not.toHaveBeenCalled();
  });

  it('is undefined before its creation and while it was a draft', () => {
    expect(shown(pastAsset(us(1) - 1, present(), [ended(1), ended(2), ended(3)]))).toEqual(UNKNOWN);
    expect(shown(pastAsset(us(2), present(), [ended(3)]))).toEqual(UNKNOWN);
    expect(shown(pastAsset(us(NOW), present({ listed: 0 }), []))).toEqual(UNKNOWN);
  });
});

describe('a change whose revision is not visible', () => {
  it('is reported before the first visible state', () => {
    expect(shown(pastAsset(us(2), present(), [ended(3, { hasPredecessor: 0 })]))).toEqual(missing(3));
    expect(shown(pastAsset(us(2), present({ hasPredecessor: 0 }), []))).toEqual(missing(NOW));
  });

  it('is reported after a state that had ended at the instant', () => {
    expect(shown(pastAsset(us(2), present(), [ended(1), ended(3)]))).toEqual(missing(3));
    const whole = ended(2, { body: Buffer.from(bodyOf(2)), sameStart: 0, sameEnd: 0 });
    for (const over of [ended(2), whole]) expect(shown(pastAsset(us(3), present(), [over]))).toEqual(missing(NOW));
  });

  it('is reported between the states from which the body would be restored', () => {
    expect(shown(pastAsset(us(1), present(), [ended(1), ended(3)]))).toEqual(missing(3));
    expect(shown(pastAsset(us(1), present(), [ended(1), ended(2)]))).toEqual(missing(NOW));
  });
});

describe('the state before the next one', () => {
  const storedState = (version: number, differing: Partial<StoredState> = {}): StoredState => {
    const row = { ...ended(version), asset: 'a', owner: 'earlier' };
    return { ...row, modifiedUs: us(version), untilUs: us(version + 1), ...differing };
  };
  const now = () => toReadAsset(present());

  it('is restored from it, with the constant columns of the asset', () => {
    const before = stateBefore(now(), storedState(3));
    expect(before).toEqual({
      ...now(),
      body: EncodedText.from(Buffer.from(bodyOf(3))),
      status: 'state 3',
      owner: 'earlier',
      modifiedUs: us(3),
    });
    expect(before && stateBefore(before, storedState(2))?.body.toString()).toBe(bodyOf(2));
  });

  it('needs no other state if it is whole', () => {
    const whole = storedState(1, { body: Buffer.from(bodyOf(1)), sameStart: 0, sameEnd: 0 });
    expect(stateBefore(now(), whole)?.body.toString()).toBe(bodyOf(1));
  });

  it('is undefined from another state, and if its checksum does not match', () => {
    expect(stateBefore(now(), storedState(2))).toBeUndefined();
    expect(stateBefore(now(), storedState(3, { checksum: 1 }))).toBeUndefined();
  });
});
