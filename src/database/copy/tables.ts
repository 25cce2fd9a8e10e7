import type { DataSource, EntityMetadata } from 'typeorm';
import { AssetSequence } from '../entities/asset-sequence.entity.js';
import { FeedClock } from '../entities/feed-clock.entity.js';
import { Redaction } from '../entities/redaction.entity.js';
import { ServiceLease } from '../entities/service-lease.entity.js';

/** A table as it is copied; names of columns are quoted for its database. */
export interface CopiedTable {
  name: string;
  /** For what is treated in a way of its own. */
  entity: EntityMetadata['target'];
  columns: readonly string[];
  /** Columns of the primary key, by whose order rows are read. */
  key: readonly string[];
  /** Names of the columns as rows have them. */
  names: readonly string[];
}

/** Tables that say something of the database itself: whether it is whole, and which services use it. */
const NOT_COPIED = new Set<EntityMetadata['target']>([FeedClock, ServiceLease]);

/** Every other table of the entities, those first that others refer to. */
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

/** The numbers of the days are merged where histories meet, and never lowered. */
export function isNumbers({ entity }: CopiedTable): boolean {
  return entity === AssetSequence;
}

/** What was erased stays erased, whichever history takes the place of another: a restore merges the journals. */
export function isJournal({ entity }: CopiedTable): boolean {
  return entity === Redaction;
}

function refersTo(metadata: EntityMetadata): EntityMetadata[] {
  return metadata.foreignKeys
    .map(({ referencedEntityMetadata }) => referencedEntityMetadata)
    .filter((other) => other !== metadata);
}
