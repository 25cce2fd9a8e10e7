import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Asset } from '../entities/asset.entity.js';
import { type AuditAction, AuditEntry } from '../entities/audit-entry.entity.js';

/** Conditions on audit rows; undefined means any. Instants are microseconds, `fromUs` inclusive and `toUs` exclusive. */
export interface AuditQuery {
  subject: string | undefined;
  actor: string | undefined;
  action: AuditAction | undefined;
  fromUs: number | undefined;
  toUs: number | undefined;
  limit: number;
}

const CONDITIONS: readonly [keyof AuditQuery, string][] = [
  ['subject', 'entry.subject = :subject'],
  ['actor', 'entry.actor = :actor'],
  ['action', 'entry.action = :action'],
  ['fromUs', 'entry.us >= :fromUs'],
  ['toUs', 'entry.us < :toUs'],
];

@Injectable()
export class AuditReader {
  constructor(@InjectDataSource('reader') private readonly reader: DataSource) {}

  /** Newest first. */
  list(query: AuditQuery): Promise<AuditEntry[]> {
    const select = this.reader.getRepository(AuditEntry).createQueryBuilder('entry');
    for (const [name, condition] of CONDITIONS)
      if (query[name] !== undefined) select.andWhere(condition, { [name]: query[name] });
    return select.orderBy('entry.us', 'DESC').addOrderBy('entry.subject', 'DESC').limit(query.limit).getMany();
  }

  /** @returns the id of the asset with this assetID */
  async findIdOf(assetId: string): Promise<string | undefined> {
    const asset = await this.reader.getRepository(Asset).findOne({ select: { id: true }, where: { assetId } });
    return asset?.id;
  }
}
