import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** One row per erasure, without values, so that a restore can repeat it. */
@Entity('redaction')
@Index('ix_redaction_asset', ['asset'])
export class Redaction {
  /** Instant of the erasure, the asset's dateModified; microseconds since 1970 UTC. */
  @PrimaryColumn({ type: 'bigint', transformer: bigint })
  us!: number;

  /** Id of the asset. */
  @Column({ type: 'varchar', length: 32 })
  asset!: string;

  /** JSON text of an array of JSON pointers. */
  @Column({ type: 'text' })
  pointers!: string;

  @Column({ type: 'varchar', length: 1000 })
  reason!: string;
}
