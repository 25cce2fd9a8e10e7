import { Injectable } from '@nestjs/common';
import { hasDuplicateName } from '#tlog';
import { printAsset } from '../feed/reading/asset-view.js';
import type { ReadAsset } from '../database/readers/asset-row.js';
import type { EncodedText } from '../platform/text/encoded-text.js';
import { RegistryTime } from '../platform/time/registry-time.js';

/** Prints states as the API does, for commitments and for readers that compare with them. */
@Injectable()
export class StatePrinter {
  constructor(private readonly time: RegistryTime) {}

  /**
   * A state as JSON text.
   * @returns undefined if it is not JSON or has a duplicate name, of which some parsers read the first: a current state, which has no
   * checksum, was changed outside of the service
   */
  text(asset: ReadAsset): EncodedText | undefined {
    const text = printAsset(asset, this.time);
    // One character per byte does not change the structure of JSON.
    const characters = text.toString('latin1');
    const value = parsed(characters);
    return value === undefined || hasDuplicateName(characters, value) ? undefined : text;
  }

  /** A state as the value of its JSON text. @returns undefined as `text` */
  parsed(asset: ReadAsset): Record<string, unknown> | undefined {
    return parsed(printAsset(asset, this.time).toString());
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
