import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** What an asset was until a change: written with that change, never touched again. What it is now stands in its own row. */
@Entity('revision')
@Index('ix_revision_asset', ['asset', 'listed', 'modifiedUs'])
// In files alone: a migration makes it.
@Index('ix_revision_beside_body', { synchronize: false })
export class Revision {
  /** The change that ended it, by its instant: rows are appended, and nobody else can have the same. Microseconds since 1970 UTC. */
  @PrimaryColumn({ name: 'until_us', type: 'bigint', transformer: bigint })
  untilUs!: number;

  /** Id of the asset. */
  @Column({ type: 'varchar', length: 32 })
  asset!: string;

  @Column({ type: 'integer' })
  version!: number;

  /** Since when it was so. */
  @Column({ name: 'modified_us', type: 'bigint', transformer: bigint })
  modifiedUs!: number;

  @Column({ type: 'varchar', length: 32 })
  status!: string;

  @Column({ name: 'related_lot', type: 'varchar', length: 32, nullable: true })
  relatedLot!: string | null;

  /** Whose it was; null where a version wrote it that knew no other owner than the first. */
  @Column({ type: 'varchar', length: 100, nullable: true })
  owner!: string | null;

  /** What its body has between what it shares with the next one. */
  @Column({ type: 'longtext' })
  body!: string;

  /** With how much of the next body it begins, in bytes of UTF-8. Where this and `sameEnd` are 0, `body` is whole. */
  @Column({ name: 'same_start', type: 'integer' })
  sameStart!: number;

  /** With how much of the next body it ends, in bytes of UTF-8. */
  @Column({ name: 'same_end', type: 'integer' })
  sameEnd!: number;

  /** CRC-32 of the whole body, as a signed number. */
  @Column({ type: 'integer' })
  checksum!: number;

  /** 1 where anyone could see it, 0 for a draft. */
  @Column({ type: 'integer' })
  listed!: number;

  /** JSON text of an array: names of the fields that the change at `untilUs` changed. */
  @Column({ type: 'text' })
  changed!: string;
}
