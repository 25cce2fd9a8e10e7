import { Injectable, type PipeTransform } from '@nestjs/common';
import { repeatedParameter } from '../errors/errors.js';
import type { Query } from '../http/request-target.js';
import { RegistryTime } from '../time/registry-time.js';
import { readInstant, restorePlus } from './listing-query.pipe.js';

/** A range of the feed: after `fromUs`, up to `toUs` and that too; undefined is open. Microseconds. */
export interface DigestQuery {
  fromUs: number | undefined;
  toUs: number | undefined;
}

/** Reads the query of a digest: instants as in `offset`. Empty counts as absent; unknown parameters are ignored. */
@Injectable()
export class DigestQueryPipe implements PipeTransform<Query, DigestQuery> {
  constructor(private readonly time: RegistryTime) {}

  transform(sent: Query): DigestQuery {
    return { fromUs: this.read(sent, 'from'), toUs: this.read(sent, 'to') };
  }

  private read(sent: Query, name: string): number | undefined {
    if (sent.all(name).length > 1) throw repeatedParameter(name);
    return readInstant(this.time, name, restorePlus(sent.get(name)));
  }
}
