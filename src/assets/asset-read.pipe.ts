import { Injectable, type PipeTransform } from '@nestjs/common';
import type { RegistryRequest } from '../http/exchange.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import { targetOf } from '../http/request-target.js';
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
    const at = QUERY_PARAMETERS.at.read(targetOf(request).query, this.time);
    const id = this.ids.transform(request.params['id']);
    return { id, atUs: at?.us, ifNoneMatch: request.headers['if-none-match'] };
  }
}
