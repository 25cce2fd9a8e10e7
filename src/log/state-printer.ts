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

  parsed(asset: ReadAsset): Record<string, unknown> {
    return JSON.parse(this.text(asset).toString()) as Record<string, unknown>;
  }
}
