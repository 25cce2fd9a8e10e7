import { Injectable } from '@nestjs/common';
import { printAsset } from '../asset/asset-view.js';
import type { ReadAsset } from '../database/asset-row.js';
import type { EncodedText } from '../text/encoded-text.js';
import { RegistryTime } from '../time/registry-time.js';

/** States as the API prints them: what a commitment binds, and what a reader compares with it. */
@Injectable()
export class StatePrinter {
  constructor(private readonly time: RegistryTime) {}

  text(asset: ReadAsset): EncodedText {
    return printAsset(asset, this.time);
  }

  /** @returns undefined where it is no JSON any more: somebody has changed a present state, which has no checksum */
  parsed(asset: ReadAsset): Record<string, unknown> | undefined {
    try {
      return JSON.parse(this.text(asset).toString()) as Record<string, unknown>;
    } catch {
      return undefined;
    }
  }
}
