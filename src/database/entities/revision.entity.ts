import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** The state of an asset before a change, written with that change. The current state is in `asset`. */
@Entity('revision')
@Index('ix_revision_asset', ['asset', 'listed', 'modifiedUs'])
// On SQLite there is also ix_revision_beside_body, created by a migration.
@Index('ix_revision_beside_body', { synchronize: false })
export class Revision {
  /** Instant of the change that ended the state, unique, so that rows are appended; microseconds since 1970 UTC. */
  @PrimaryColumn({ name: 'until_us', type: 'bigint', transformer: bigint })
  untilUs!: number;

  /** Id of the asset. */
  @Column({ type: 'varchar', length: 32 })
  asset!: string;

  @Column({ type: 'integer' })
  version!: number;

  /** When the state began. */
  @Column({ name: 'modified_us', type: 'bigint', transformer: bigint })
  modifiedUs!: number;

  @Column({ type: 'varchar', length: 32 })
  status!: string;

  @Column({ name: 'related_lot', type: 'varchar', length: 32, nullable: true })
  relatedLot!: string | null;

  /** Null if written by a version in which owners could not change. */
  @Column({ type: 'varchar', length: 100, nullable: true })
  owner!: string | null;

  /** The text between the parts shared with the next body. */
  @Column({ type: 'longtext' })
  body!: string;

  /** Length of the start shared with the next body, in bytes of UTF-8. If this and `sameEnd` are 0, `body` is whole. */
  @Column({ name: 'same_start', type: 'integer' })
  sameStart!: number;

  /** Length of the end shared with the next body, in bytes of UTF-8. */
  @Column({ name: 'same_end', type: 'integer' })
  sameEnd!: number;

  /** CRC-32 of the whole body, as a signed number. */
  @Column({ type: 'integer' })
  checksum!: number;

  /** 1 if the state was public, 0 for a draft. */
  @Column({ type: 'integer' })
  listed!: number;

  /** JSON text of an array of the fields that the change at `untilUs` changed. */
  @Column({ type: 'text' })
  changed!: string;
}
