import { BasicAsset } from '../../src/asset-types/basic/basic.dto.js';
import { printFields } from '../../src/asset-types/fields-json.js';
import { formatAssetId } from '../../src/asset/identifiers.js';
import { secretDigest } from '../../src/auth/api-key.js';
import type { Asset } from '../../src/database/entities/asset.entity.js';
import { RegistryTime } from '../../src/time/registry-time.js';
import { Random } from '../../test/support/random.js';
import { fieldsFrom } from './content.js';

export const SEED = 20261121;
/** Of the registry and of the floor. */
export const TIME_ZONE = 'Europe/Kyiv';
/** Account and key of the demo: it owns every asset. */
export const BROKER = 'broker';

const SECOND_US = 1_000_000;
const DAY_US = 24 * 3_600 * SECOND_US;
/** Midnight in Kyiv; from here to the end of March the clock is not changed. */
const BEGIN_US = Date.parse('2024-11-01T00:00:00+02:00') * 1_000;
/** Five million of them fit in that time. */
const STEP_US = 1.9 * SECOND_US;
const SHARES = { draft: 1, deleted: 1, complete: 2, active: 4, pending: 12 };
const STATUSES = Object.entries(SHARES).flatMap(([status, share]) => Array<string>(share).fill(status));
/** The places in STATUSES of half of the pending ones: only these are changed, so the others stay where they are in the feed. */
const CHANGED = { first: 14, count: 6 };

/** Numbers from 0; each asset follows from the seed and its number alone, so that who makes requests need not have seen it. */
export class DataSet {
  private readonly time = new RegistryTime(TIME_ZONE);

  constructor(readonly size: number) {}

  /** 32 hex characters, a UUID version 4. */
  idOf(number: number): string {
    const hex = hexFrom(new Random(SEED + number));
    return `${hex.slice(0, 12)}4${hex.slice(13, 16)}a${hex.slice(17)}`;
  }

  ownerTokenOf(number: number): string {
    return hexFrom(new Random(SEED - 1 - number));
  }

  /** Its place in the feed; that of a draft is empty. Microseconds. */
  instantOf(number: number): number {
    return BEGIN_US + number * STEP_US + SECOND_US;
  }

  /** The same as the API writes it. */
  offsetAt(number: number): string {
    return this.time.print(this.instantOf(number));
  }

  get lastUs(): number {
    return this.instantOf(this.size - 1);
  }

  /** A number of an asset that is no draft. */
  pickListed(random: Random): number {
    const number = random.int(1, this.size - 1);
    return STATUSES[number % STATUSES.length] === 'draft' ? number - 1 : number;
  }

  /** A number of an asset that is pending, and that no reader of the feed relies on. */
  pickChanged(random: Random): number {
    const twenties = Math.floor(this.size / STATUSES.length);
    return random.int(0, twenties - 1) * STATUSES.length + CHANGED.first + random.int(0, CHANGED.count - 1);
  }

  /** The ids of so many assets that are pending, and that `pickChanged` leaves alone. */
  idsLeftAlone(count: number): string[] {
    const first = STATUSES.indexOf('pending');
    const each = CHANGED.first - first;
    return Array.from({ length: count }, (_, i) =>
      this.idOf(Math.floor(i / each) * STATUSES.length + first + (i % each)),
    );
  }

  assetOf(number: number): Asset {
    const createdUs = BEGIN_US + number * STEP_US;
    const status = STATUSES[number % STATUSES.length] as string;
    const modifiedUs = this.instantOf(number);
    return {
      id: this.idOf(number),
      assetId: this.assetIdOf(number),
      assetType: 'basic',
      status,
      owner: BROKER,
      tokenDigest: secretDigest(this.ownerTokenOf(number)),
      relatedLot: status === 'active' || status === 'complete' ? hexFrom(new Random(number)) : null,
      body: printFields(BasicAsset, fieldsFrom(new Random(SEED ^ number))),
      version: 1,
      createdUs,
      modifiedUs,
      feedUs: status === 'draft' ? null : modifiedUs,
    };
  }

  /** How many were created on each day: `2024-11-01`. */
  numbersByDay(): [day: string, count: number][] {
    const days = Math.floor(((this.size - 1) * STEP_US) / DAY_US) + 1;
    return Array.from({ length: days }, (_, day) => {
      const count = Math.min(this.size, firstOfDay(day + 1)) - firstOfDay(day);
      return [this.time.day(BEGIN_US + day * DAY_US), count];
    });
  }

  /** Known to people, as the one in the address of its page: `UA-2024-11-01-000001`. */
  assetIdOf(number: number): string {
    const day = Math.floor((number * STEP_US) / DAY_US);
    return formatAssetId('UA', this.time.day(BEGIN_US + day * DAY_US), number - firstOfDay(day) + 1);
  }
}

function firstOfDay(day: number): number {
  return Math.ceil((day * DAY_US) / STEP_US);
}

function hexFrom(random: Random): string {
  let hex = '';
  for (let i = 0; i < 4; i++)
    hex += random
      .int(0, 2 ** 32 - 1)
      .toString(16)
      .padStart(8, '0');
  return hex;
}
