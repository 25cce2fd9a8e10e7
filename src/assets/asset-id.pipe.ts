import { Injectable, type PipeTransform } from '@nestjs/common';
import { ID } from '../asset/identifiers.js';
import { noAssetAt } from '../asset/no-asset.js';

/** Nothing but an id ever reaches the database. */
@Injectable()
export class AssetIdPipe implements PipeTransform<unknown, string> {
  transform(id: unknown): string {
    if (typeof id !== 'string' || !ID.test(id)) throw noAssetAt(String(id));
    return id;
  }
}
