import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** A row of the registry. Instants are microseconds since 1970 UTC. */
@Entity('asset')
@Index('uq_asset_asset_id', ['assetId'], { unique: true })
@Index('uq_asset_feed_us', ['feedUs'], { unique: true })
@Index('ix_asset_feed', ['feedUs', 'id'])
export class Asset {
  /** 32 lower-case hex characters. */
  @PrimaryColumn({ type: 'varchar', length: 32 })
  id!: string;

  /** `UA-2017-08-16-000001`. */
  @Column({ name: 'asset_id', type: 'varchar', length: 40 })
  assetId!: string;

  @Column({ name: 'asset_type', type: 'varchar', length: 64 })
  assetType!: string;

  @Column({ type: 'varchar', length: 32 })
  status!: string;

  /** Name of the account that created the asset or took it over. */
  @Column({ type: 'varchar', length: 100 })
  owner!: string;

  /** SHA-256 of the owner token, in hex. */
  @Column({ name: 'token_digest', type: 'varchar', length: 64 })
  tokenDigest!: string;

  @Column({ name: 'related_lot', type: 'varchar', length: 32, nullable: true })
  relatedLot!: string | null;

  /** JSON text of the broker's fields, as answered. */
  @Column({ type: 'longtext' })
  body!: string;

  /** Grows by one with every change. */
  @Column({ type: 'integer' })
  version!: number;

  @Column({ name: 'created_us', type: 'bigint', transformer: bigint })
  createdUs!: number;

  @Column({ name: 'modified_us', type: 'bigint', transformer: bigint })
  modifiedUs!: number;

  /** Instant in the feed; null while the asset is not listed. */
  @Column({ name: 'feed_us', type: 'bigint', nullable: true, transformer: bigint })
  feedUs!: number | null;
}
