import { Injectable } from '@nestjs/common';
import { hasNameTwice } from '#tlog';
import { printAsset } from '../feed/reading/asset-view.js';
import type { ReadAsset } from '../database/readers/asset-row.js';
import type { EncodedText } from '../platform/text/encoded-text.js';
import { RegistryTime } from '../platform/time/registry-time.js';

/** States as the API prints them: what a commitment binds, and what a reader compares with it. */
@Injectable()
export class StatePrinter {
  constructor(private readonly time: RegistryTime) {}

  /**
   * A state as JSON text. @returns undefined where it is no JSON any more, or has a name twice, of which some readers take the first: somebody
   * has changed a present state, which has no checksum
   */
  text(asset: ReadAsset): EncodedText | undefined {
    const text = printAsset(asset, this.time);
    // What is JSON is JSON with a character for each byte, too.
    const characters = text.toString('latin1');
    const value = parsed(characters);
    return value === undefined || hasNameTwice(characters, value) ? undefined : text;
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
