import { Injectable, type PipeTransform } from '@nestjs/common';
import { repeatedParameter } from '../errors/errors.js';
import type { RegistryRequest } from '../http/exchange.js';
import { type Query, targetOf } from '../http/request-target.js';
import { readInstant, restorePlus } from '../listing/listing-query.pipe.js';
import { RegistryTime } from '../time/registry-time.js';
import { AssetIdPipe } from './asset-id.pipe.js';

/** What a GET of an asset asks for. */
export interface AssetRead {
  id: string;
  /** As it was at this instant, in microseconds; undefined for now. */
  atUs: number | undefined;
  ifNoneMatch: string | undefined;
}

/** Reads the request of an asset, all of it at once: a parameter of its own for each part would cost more than reading them. */
@Injectable()
export class AssetReadPipe implements PipeTransform<RegistryRequest, AssetRead> {
  private readonly ids = new AssetIdPipe();

  constructor(private readonly time: RegistryTime) {}

  /** @throws ApiError 400, then 404 */
  transform(request: RegistryRequest): AssetRead {
    const atUs = readAt(this.time, targetOf(request).query);
    return { id: this.ids.transform(request.params['id']), atUs, ifNoneMatch: request.headers['if-none-match'] };
  }
}

/** `at`, an instant as in `offset`; empty counts as absent. @throws ApiError 400 */
function readAt(time: RegistryTime, query: Query): number | undefined {
  if (query.parameters.length === 0) return undefined;
  if (query.all('at').length > 1) throw repeatedParameter('at');
  return readInstant(time, 'at', restorePlus(query.get('at')));
}
