import { Injectable, type PipeTransform } from '@nestjs/common';
import { assetNotFound } from '../errors/errors.js';
import { ID } from '../asset/identifiers.js';

/** Nothing but an id ever reaches the database. */
@Injectable()
export class AssetIdPipe implements PipeTransform<unknown, string> {
  transform(id: unknown): string {
    if (typeof id !== 'string' || !ID.test(id)) throw assetNotFound();
    return id;
  }
}
