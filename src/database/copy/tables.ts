import type { DataSource, EntityMetadata } from 'typeorm';
import { AssetSequence } from '../entities/asset-sequence.entity.js';
import { FeedClock } from '../entities/feed-clock.entity.js';
import { Redaction } from '../entities/redaction.entity.js';
import { ServiceLease } from '../entities/service-lease.entity.js';

/** A table to copy; column names are quoted for its database. */
export interface CopiedTable {
  name: string;
  /** Identifies tables with special treatment. */
  entity: EntityMetadata['target'];
  columns: readonly string[];
  /** Columns of the primary key. */
  key: readonly string[];
  /** Unquoted column names. */
  names: readonly string[];
}

/** Tables about the database itself: its clock and marks, and the services that use it. */
const NOT_COPIED = new Set<EntityMetadata['target']>([FeedClock, ServiceLease]);

/** All other tables, those first that foreign keys of others refer to. */
export function copiedTables({ entityMetadatas, driver }: DataSource): CopiedTable[] {
  const escape = (name: string): string => driver.escape(name);
  const waiting = entityMetadatas.filter(({ target }) => !NOT_COPIED.has(target));
  const ordered: EntityMetadata[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex((metadata) => refersTo(metadata).every((other) => ordered.includes(other)));
    ordered.push(...waiting.splice(next, 1));
  }
  return ordered.map(({ tableName, target, columns, primaryColumns }) => ({
    name: tableName,
    entity: target,
    columns: columns.map(({ databaseName }) => escape(databaseName)),
    key: primaryColumns.map(({ databaseName }) => escape(databaseName)),
    names: columns.map(({ databaseName }) => databaseName),
  }));
}

/** The table of last numbers: a restore merges it, and never lowers a number. */
export function isNumbersTable({ entity }: CopiedTable): boolean {
  return entity === AssetSequence;
}

/** The table of erasures: a restore merges it, so that erased data stays erased. */
export function isErasuresTable({ entity }: CopiedTable): boolean {
  return entity === Redaction;
}

function refersTo(metadata: EntityMetadata): EntityMetadata[] {
  return metadata.foreignKeys
    .map(({ referencedEntityMetadata }) => referencedEntityMetadata)
    .filter((other) => other !== metadata);
}
